// The pages of the book, in reading order, split into blocks.

import fs from 'node:fs';
import path from 'node:path';
import { readText } from './files.mjs';
import { slug, uniqueId } from './html.mjs';

const PAGE_FILE = /^(\d\d)([a-z]?)_([a-z0-9_]+)\.md$/;
const FIRST_APPENDIX = 90;
export const DEPTHS = ['beginner', 'developer', 'researcher'];
export const DIRECTIVES = ['code', 'claim', 'output', 'figure', 'exercise', 'exercises', 'solution', 'bibliography', 'bugs'];

/** Reads every page of book/; sections are known, nothing is expanded yet. */
export function readPages(root, problems) {
  const folder = path.join(root, 'book');
  const files = fs.readdirSync(folder).filter((name) => name.endsWith('.md')).sort();
  const appendices = files.filter((name) => PAGE_FILE.test(name) && Number(name.slice(0, 2)) >= FIRST_APPENDIX);
  const pages = [];
  for (const name of files) {
    const match = name.match(PAGE_FILE);
    if (!match) {
      problems.add({ file: `book/${name}` }, 'is no page name; call it NN_name.md, or NNa_name.md for one that continues NN (small letters, digits, _)');
      continue;
    }
    pages.push(readPage(root, `book/${name}`, {
      number: Number(match[1]), letter: match[2], base: match[3], appendix: appendices.indexOf(name),
    }, problems));
  }
  if (pages.length === 0) problems.add({ file: 'book' }, 'has no pages; write book/00_front.md first');
  return pages;
}

function readPage(root, file, { number, letter, base, appendix }, problems) {
  const lines = readText(path.join(root, file)).replace(/\n$/, '').split('\n');
  const title = lines[0].match(/^# +(.+?)\s*$/)?.[1];
  if (!title) problems.add({ file, line: 1 }, 'a page starts with `# Title`; make it the first line');
  const page = {
    file, number, base, ...kindOf(number, letter, appendix),
    html: number === 0 ? 'index.html' : `${base}.html`,
    title: title ?? base,
    blocks: splitBlocks(lines.slice(1), { file, line: 2 }, problems),
  };
  page.sections = readSections(page, problems);
  page.anchors = new Set(page.sections.map((section) => section.id));
  return page;
}

/**
 * A page with a letter continues its chapter, and has none of its exercises.
 * Appendices are lettered in their order: A, B, C.
 */
function kindOf(number, letter, appendix) {
  if (number === 0) return { kind: 'front', label: '', reference: '' };
  if (letter && appendix < 0) return { kind: 'continued', label: `Chapter ${number}${letter}`, reference: `${number}${letter}` };
  if (number < FIRST_APPENDIX) return { kind: 'chapter', label: `Chapter ${number}`, reference: String(number) };
  const capital = String.fromCharCode('A'.charCodeAt(0) + appendix);
  return { kind: 'appendix', label: `Appendix ${capital}`, reference: capital };
}

/** Headings in order, each with a readable id and the depth it stands in. */
function readSections(page, problems) {
  const taken = new Set();
  const sections = [];
  let depth = null;
  for (const block of page.blocks) {
    if (block.kind === 'depth') depth = block.name;
    if (block.kind !== 'heading') continue;
    const text = block.text.replace(/\s*\{#([\w-]+)\}\s*$/, (_, id) => { block.id = id; return ''; });
    const plain = plainText(text);
    block.text = text;
    block.id = uniqueId(block.id ?? slug(plain), taken);
    const before = sections.length ? sections[sections.length - 1].level : 1;
    if (block.level === 1) {
      problems.add(block.where, 'a page has one `# Title`, its first line; write `##` for a section');
    } else if (block.level > before + 1) {
      problems.add(block.where, `a heading of level ${block.level} follows one of level ${before}; leave none out`);
    }
    sections.push({ level: block.level, id: block.id, text: plain, depth });
  }
  return sections;
}

/** A heading that a reader sees has something under it at that reader's depth. */
export function checkSaysSomething(page, problems) {
  const open = [];   // the headings around a block, the outermost first
  let depth = null;
  const close = (level) => {
    while (open.length && open.at(-1).level >= level) {
      const { heading, seenBy, saidTo } = open.pop();
      const nothing = seenBy.filter((reader) => !saidTo.has(reader));
      if (nothing.length === 0) continue;
      problems.add(heading.where, `the section "${plainText(heading.text)}" has nothing for ${nothing.join(' and ')}; `
        + 'put its heading inside the block that it belongs to, or write something for all');
    }
  };
  for (const block of page.blocks) {
    if (block.kind === 'depth') {
      depth = block.name;
    } else if (block.kind === 'heading') {
      close(block.level);
      open.push({ level: block.level, heading: block, seenBy: depth ? [depth] : DEPTHS, saidTo: new Set() });
    } else if (block.kind !== 'blank') {
      for (const { saidTo } of open) for (const reader of depth ? [depth] : DEPTHS) saidTo.add(reader);
    }
  }
  close(0);
}

/** Heading or title text without its markup. */
export function plainText(markdown) {
  return markdown.replace(/\\(?:mathrm|text|operatorname|mathbf)\b/g, '').replace(/\\(sqrt)/g, '√')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/\\([A-Za-z]+)/g, '$1').replace(/[`$*{}]/g, '').trim();
}

/**
 * Splits Markdown lines into blocks of one kind each: text, blank, fence,
 * heading, depth, display (math) and directive.
 */
export function splitBlocks(lines, start, problems) {
  const blocks = [];
  let i = 0;
  const at = () => ({ file: start.file, line: start.line + i });
  while (i < lines.length) {
    const line = lines[i];
    const where = at();
    const fence = line.match(/^(\s*)(`{3,}|~{3,})/);
    if (line.trim() === '') {
      blocks.push({ kind: 'blank', where });
      i += 1;
    } else if (fence) {
      const taken = takeUntil(lines, i, (next) => next.trim() === fence[2]);
      if (!taken) problems.add(where, `a ${fence[2]} block that never ends; close it`);
      blocks.push({ kind: 'fence', where, lines: taken ?? lines.slice(i) });
      i += (taken ?? lines.slice(i)).length;
    } else if (/^\s*:::/.test(line)) {
      blocks.push({ kind: 'depth', where, ...readDepth(line, where, problems) });
      i += 1;
    } else if (/^#{1,6}\s/.test(line)) {
      const [, marks, text] = line.match(/^(#+)\s+(.*?)\s*#*$/);
      blocks.push({ kind: 'heading', where, level: marks.length, text });
      i += 1;
    } else if (/^\s*\$\$/.test(line)) {
      i += takeDisplay(lines, i, where, blocks, problems);
    } else if (startsDirective(line)) {
      i += takeDirective(lines, i, where, blocks, problems);
    } else {
      const first = i;
      while (i < lines.length && isText(lines[i], i > first)) i += 1;
      blocks.push({ kind: 'text', where, text: lines.slice(first, i).join('\n') });
    }
  }
  return blocks;
}

const startsDirective = (line) => new RegExp(`^\\s*\\{\\{(?:${DIRECTIVES.join('|')})\\b`).test(line);

function isText(line, follows) {
  if (!follows) return true;
  return line.trim() !== '' && !/^\s*(?:`{3,}|~{3,}|:::|\$\$)|^#{1,6}\s/.test(line) && !startsDirective(line);
}

/** Lines from i to the next one that ends the block, or null. */
function takeUntil(lines, i, ends) {
  for (let k = i + 1; k < lines.length; k += 1) {
    if (ends(lines[k])) return lines.slice(i, k + 1);
  }
  return null;
}

function readDepth(line, where, problems) {
  const name = line.trim().slice(3).trim();
  if (name === '' || DEPTHS.includes(name)) return { name: name || null };
  problems.add(where, `no depth is called "${name}"; write ${DEPTHS.join(', ')}, or ::: alone to end one`);
  return { name: null, broken: true };
}

function takeDisplay(lines, i, where, blocks, problems) {
  const indent = lines[i].match(/^\s*/)[0];
  const single = lines[i].match(/^\s*\$\$(.+)\$\$\s*$/);
  const taken = single ? [lines[i]] : takeUntil(lines, i, (line) => /\$\$\s*$/.test(line) || line.trim() === '');
  if (!taken || (!single && !/\$\$\s*$/.test(taken[taken.length - 1]))) {
    problems.add(where, 'a $$ whose formula never ends; end a line with $$, with no blank line before it');
    return 1;
  }
  const tex = taken.join('\n').trim().replace(/^\$\$|\$\$$/g, '');
  blocks.push({ kind: 'display', where, tex, indent });
  return taken.length;
}

function takeDirective(lines, i, where, blocks, problems) {
  const closed = /\}\}\s*$/.test(lines[i]);
  const taken = closed ? [lines[i]] : takeUntil(lines, i, (line) => /\}\}\s*$/.test(line) || line.trim() === '');
  const text = taken?.join(' ').trim();
  if (!text || !text.endsWith('}}')) {
    problems.add(where, `${lines[i].trim()} is not closed, or not alone on its line; end the line with }}`);
    return taken?.length ?? 1;
  }
  const [, name, rest] = text.match(/^\{\{(\w+)\s*([\s\S]*)\}\}$/);
  blocks.push({ kind: 'directive', where, name, rest: rest.trim(), indent: lines[i].match(/^\s*/)[0], text });
  return taken.length;
}
