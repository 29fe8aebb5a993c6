// Prose to pages for Doxygen. Every directive is checked here; what it becomes
// in the finished page is kept with its token.

import { expandInline, fillValues } from './inline.mjs';
import { emit, emitBlock, emitCode, emitWrapped } from './emit.mjs';
import { expandBugs } from './bug_reports.mjs';
import { list, nearest } from './errors.mjs';
import { checkListed, expandExercise, expandExercises, expandSolution } from './expand_exercise.mjs';
import { inlineSvg } from './figures.mjs';
import { escape, slug, uniqueId, withCurlyQuotes } from './html.mjs';
import { pageRun } from './page_programs.mjs';
import { count, outputParts, runsOfClaim, trimBlank } from './program_text.mjs';
import { NotFetched } from './runs.mjs';
import { findPart, markShown } from './sources.mjs';

export const DEPTH_NAMES = { beginner: 'Beginner', developer: 'Developer', researcher: 'Researcher' };

/** Expands one page: fills its `out` (lines), `origins` and `tokens`. */
export async function expandPage(page, book) {
  Object.assign(page, {
    out: [], origins: [], tokens: [], ids: new Set(page.anchors),
    figures: 0, equations: 0, depth: null, level: 1, section: null,
    within: [], exercisesIn: new Map(), exercisesListed: null, terms: new Map(),
  });
  page.token = (kind, html, data = {}) => {
    const name = `MHAx${String(page.tokens.length).padStart(4, '0')}x`;
    page.tokens.push({ name, kind, html, ...data });
    return name;
  };
  emit(page, `# ${page.base} {#page_${page.base}}\n\n`, { file: page.file, line: 1 });
  const notFetched = book.notFetched.get(page.number);
  if (notFetched) emitNotFetched(notFetched, { where: { file: page.file, line: 1 }, indent: '' }, page);
  await expandBlocks(page.blocks, page, book);
  if (page.depth) {
    book.problems.add(page.depthOpened, `the ${page.depth} block never ends; close it with ::: alone on a line`);
  }
  checkListed(page, book);
}

/** In place of what could not be run. */
function emitNotFetched(message, block, page) {
  emitBlock(page, page.token('block',
    `<p class="not-fetched"><strong>Not in this copy of the book.</strong> ${escape(message)}</p>`), block);
}

async function expandBlocks(blocks, page, book) {
  for (const block of blocks) {
    // One after the other: numbers follow the order of the page.
    // eslint-disable-next-line no-await-in-loop
    await EXPAND[block.kind](block, page, book);
  }
}

const EXPAND = {
  blank: (block, page) => emit(page, '\n', block.where),
  fence: (block, page) => emit(page, `${block.lines.join('\n')}\n`, block.where),
  text: (block, page, book) =>
    emit(page, `${expandInline(block.text, block.where, page, book, { running: block.where.file === page.file })}\n`, block.where),
  heading(block, page, book) {
    page.level = block.level;
    page.section = { id: block.id, text: block.text };
    page.within = [...page.within.filter(({ level }) => level < block.level), block];
    emit(page, `\n${'#'.repeat(block.level)} ${expandInline(block.text, block.where, page, book)}\n\n`, block.where);
  },
  depth: expandDepth,
  display: expandDisplay,
  directive: (block, page, book) => DIRECTIVE[block.name](block, page, book),
};

const DIRECTIVE = {
  code: expandCode,
  claim: expandClaim,
  output: expandOutput,
  figure: expandFigure,
  exercise: (block, page, book) => expandExercise(block, page, book, expandBlocks),
  exercises: expandExercises,
  solution: (block, page, book) => expandSolution(block, page, book, expandBlocks),
  bibliography: expandBibliography,
  bugs: expandBugs,
};

function expandDepth(block, page, book) {
  const { name, where, broken } = block;
  if (broken) return;
  if (name && page.depth) {
    book.problems.add(where, `a ${name} block inside a ${page.depth} block; close that one first with :::`);
  } else if (!name && !page.depth) {
    book.problems.add(where, '::: closes a block that was never opened; write ::: beginner, developer or researcher before');
  } else if (name) {
    page.depth = name;
    page.depthOpened = where;
    page.sectionAround = page.section;
    const id = uniqueId(page.section ? `${page.section.id}-${name}` : name, page.ids);
    page.anchors.add(id);
    emitBlock(page, page.token('block',
      `<div class="depth ${name}" data-depth="${name}" id="${id}"><p class="depth-label">${DEPTH_NAMES[name]}</p>`), block);
  } else {
    page.depth = null;
    page.section = page.sectionAround;   // a heading inside was for that depth alone
    emitBlock(page, page.token('block', '</div>'), block);
  }
}

function expandDisplay(block, page, book) {
  const { where } = block;
  const labels = [...block.tex.matchAll(/\\label\{([^}]*)\}/g)].map((match) => match[1]);
  if (/\\(?:eqref|tag|ref)\b/.test(block.tex) || labels.length > 1) {
    book.problems.add(where, 'a formula takes one \\label and no \\tag or \\ref; refer to it from the text with \\eqref');
    return;
  }
  const tex = fillValues(block.tex.replace(/\\label\{[^}]*\}/g, '').trim(), where, book);
  const key = book.formulas.ask(tex, true, where);
  const numbered = labels.length ? book.equations.define(labels[0], page, where) : null;
  const number = numbered ? `<span class="number">(${numbered.number})</span>` : '';
  const id = numbered ? ` id="${numbered.id}"` : '';
  emitBlock(page, page.token('block', (formulas) =>
    `<div class="equation"${id}><div class="formula">${formulas.html(key)}</div>${number}</div>`), block);
}

/** `file: part` with ` | folded: title` behind it. */
function expandCode(block, page, book) {
  const match = block.rest.match(/^([\w.-]+):\s*([^|]+?)\s*(?:\|\s*folded:\s*(.+))?$/);
  if (!match) {
    book.problems.add(block.where, `${block.text} is not understood; write {{code file.cpp: part}} or {{code file.cpp: part | folded: Title}}`);
    return;
  }
  const [, file, name, title] = match;
  const part = findPart(book.sources, file, name, 'part', block.where, book.problems);
  if (!part) return;
  const id = showPart(part, `code-${slug(file.replace(/\.\w+$/, ''))}-${slug(name)}`, block, page, book);
  if (title) emitWrapped(page, '<details class="folded"><summary>', title, '</summary>', block, book);
  emitCode(page, part, { id, label: name }, block);
  if (title) emitBlock(page, page.token('block', '</details>'), block);
}

function showPart(part, wantedId, block, page, book) {
  const id = uniqueId(wantedId, page.ids);
  page.anchors.add(id);
  markShown(part, {
    where: block.where, page, id, section: page.section?.text ?? page.title,
  }, book.problems);
  return id;
}

function expandClaim(block, page, book) {
  const match = block.rest.match(/^([\w.-]+):\s*(.+)$/);
  if (!match) {
    book.problems.add(block.where, `${block.text} is not understood; write {{claim file.cpp: sentence}}`);
    return;
  }
  const [, file, sentence] = match;
  const part = findPart(book.sources, file, sentence, 'claim', block.where, book.problems);
  if (!part) return;
  const result = claimResult(part, block.where, book);
  const id = showPart(part, `claim-${slug(sentence)}`, block, page, book);
  const unchecked = book.notFetched.has(part.source.program?.number);
  const badge = unchecked
    ? 'not checked when this page was made: data is missing'
    : `held: ${result ? count(result.held, 'check') : ''}`;
  emitBlock(page, page.token('block',
    `<details class="claim" id="${id}"><summary><span class="sentence">${sentenceHtml(sentence)}</span> `
    + `<span class="badge${unchecked ? ' unchecked' : ''}">${badge}</span></summary>`), block);
  emitCode(page, part, { id: null, label: '' }, block);
  emitBlock(page, page.token('block', '</details>'), block);
}

const sentenceHtml = (sentence) => escape(withCurlyQuotes(sentence[0].toUpperCase() + sentence.slice(1)));

/** What the run said about a claim that the prose makes. */
function claimResult(part, where, book) {
  const { program } = part.source;
  if (!program) {
    book.problems.add(where, `${part.source.file} belongs to no chapter program, so its claims are not run; move the claim to one`);
    return undefined;
  }
  const claims = book.claims.get(program.name);
  if (!claims) return undefined;
  const runs = runsOfClaim(claims, part.name);
  const held = runs.reduce((sum, run) => sum + run.held, 0);
  if (book.notFetched.has(program.number)) return { held };
  if (runs.length === 0) {
    book.problems.add(where, `the run of ${program.name} --test left out "${part.name}"; build again, and do not skip it`);
  } else if (held === 0 && !runs.some((run) => run.failed)) {
    book.problems.add(where, `the claim "${part.name}" checked nothing; give its test case at least one CHECK`);
  }
  return { held };
}

/** `program --options: name`, split. */
function readRun(text) {
  const match = text.match(/^(\w+)((?:\s+(?:"[^"]*"|[^\s:"]+))*)\s*(?::\s*(.+))?$/);
  if (!match) return null;
  const options = [...match[2].matchAll(/"([^"]*)"|(\S+)/g)].map((word) => word[1] ?? word[2]);
  return { name: match[1], options, typed: match[2].trim(), part: match[3]?.trim() };
}

function findProgram(name, where, book) {
  const program = book.programs.find((candidate) => candidate.name === name);
  if (!program) {
    book.problems.add(where, `no program is called ${name}; the programs are ${list(book.programs.map((p) => p.name))}`);
  }
  return program;
}

const commandFor = (program, typed) => `./mha run ${program.number}${typed ? ` ${typed}` : ''}`;

async function expandOutput(block, page, book) {
  const [, asked, title] = block.rest.match(/^([^|]*?)\s*(?:\|\s*folded:\s*(.+))?$/) ?? [];
  const run = asked === undefined ? null : readRun(asked);
  if (!run) {
    book.problems.add(block.where, `${block.text} is not understood; write {{output program --options: Heading}} or {{output program: Heading | folded: Title}}`);
    return;
  }
  const program = findProgram(run.name, block.where, book);
  const text = program && await attempt(book, block, page, () => book.runs.output(program, run.options));
  if (text === undefined) return;
  const lines = selectOutput(text, run, block.where, book);
  if (!lines) return;
  const command = commandFor(program, run.typed);
  const heading = run.part ? `<span class="part">${escape(run.part)}</span>` : '';
  if (title) emitWrapped(page, '<details class="folded"><summary>', title, '</summary>', block, book);
  emitBlock(page, page.token('block',
    `<figure class="output"${pageRun(program, run.options)}><figcaption><kbd>${escape(command)}</kbd>${heading}</figcaption>`
    + `<pre><samp>${escape(lines.join('\n'))}\n</samp></pre></figure>`), block);
  if (title) emitBlock(page, page.token('block', '</details>'), block);
}

function selectOutput(text, run, where, book) {
  if (!run.part) {
    const all = trimBlank(text.split('\n'));
    if (all.length) return all;
    book.problems.add(where, `${run.name} printed nothing; print something or drop the line`);
    return undefined;
  }
  const parts = outputParts(text);
  const lines = parts.get(run.part);
  if (!lines) {
    book.problems.add(where, `the output of ${run.name} has no part "${run.part}"; it has ${list(nearest(run.part, [...parts.keys()]))}`);
  } else if (lines.length === 0) {
    book.problems.add(where, `the part "${run.part}" of ${run.name}'s output is empty; print something under it`);
    return undefined;
  }
  return lines;
}

async function expandFigure(block, page, book) {
  const cut = block.rest.indexOf('|');
  const run = readRun((cut < 0 ? block.rest : block.rest.slice(0, cut)).trim());
  const caption = cut < 0 ? '' : block.rest.slice(cut + 1).trim();
  if (!run || !caption) {
    book.problems.add(block.where, `${block.text} is not understood; write {{figure program: name | Caption}}`);
    return;
  }
  const program = findProgram(run.name, block.where, book);
  if (!program) return;
  const id = uniqueId(`figure-${slug(run.part ?? run.name)}`, page.ids);
  page.anchors.add(id);
  const svg = await attempt(book, block, page, async () =>
    inlineSvg(await book.runs.figure(program, run.part, run.options), `p${page.figures + 1}`));
  if (svg === undefined) return;
  page.figures += 1;
  const number = page.reference ? `${page.reference}.${page.figures}` : String(page.figures);
  const command = run.typed ? ` <kbd>${escape(commandFor(program, run.typed))}</kbd>` : '';
  emitWrapped(page, `<figure class="picture" id="${id}"${pageRun(program, run.options, run.part ?? '')}><div class="plate">${svg}</div>`
    + `<figcaption><span class="label">Figure ${number}</span> `, caption, `${command}</figcaption></figure>`, block, book);
}

function expandBibliography(block, page, book) {
  if (book.bibliographyShown) {
    book.problems.add(block.where, `the bibliography already stands at ${book.bibliographyShown.file}:${book.bibliographyShown.line}; keep one`);
    return;
  }
  book.bibliographyShown = block.where;
  book.bibliographyPage = page.html;
  emitBlock(page, page.token('block', () => book.bibliography.html()), block);
}

/** The result of `work`; or undefined, with its error noted or what is missing shown. */
async function attempt(book, block, page, work) {
  try {
    return await work();
  } catch (error) {
    if (error instanceof NotFetched) emitNotFetched(error.message, block, page);
    else book.problems.add(block.where, error.message);
    return undefined;
  }
}

/** The numbered equations of the book. */
export class Equations {
  #defined = new Map();
  #asked = [];

  /** Numbers an equation of `page`. */
  define(label, page, where) {
    const known = this.#defined.get(label);
    if (known || !/^eq:[\w-]+$/.test(label)) {
      this.#asked.push({ where, text: known
        ? `\\label{${label}} is already at ${known.where.file}:${known.where.line}; choose another name`
        : `\\label{${label}} is no equation name; write \\label{eq:name}` });
      return null;
    }
    page.equations += 1;
    const number = page.reference ? `${page.reference}.${page.equations}` : String(page.equations);
    const equation = { where, page, number, id: uniqueId(label.replace(':', '-'), page.ids) };
    page.anchors.add(equation.id);
    this.#defined.set(label, equation);
    return equation;
  }

  /** The HTML of a reference, known once every page is expanded. */
  link(label, where) {
    this.#asked.push({ where, label });
    return () => {
      const { page, id, number } = this.#defined.get(label);
      return `<a class="eqref" href="${page.html}#${id}">(${number})</a>`;
    };
  }

  /** Notes every reference to an equation that no page numbers. */
  check(problems) {
    for (const { where, label, text } of this.#asked) {
      if (text) problems.add(where, text);
      else if (!this.#defined.has(label)) {
        problems.add(where, `no equation has \\label{${label}}; there are ${list([...this.#defined.keys()])}`);
      }
    }
  }
}

