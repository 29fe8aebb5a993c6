// The programs' and the library's source: the parts the book shows, and the
// check that it shows every line.

import path from 'node:path';
import { readText } from './files.mjs';
import { list, nearest } from './errors.mjs';

const MARKER = /^\s*\/\/ \[([^\]]+)\]\s*$/;
const TEST_CASE = /^TEST_CASE(?:_TEMPLATE)?\s*\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+)/;

/**
 * Reads one source file; `file` is its path from the book's root. One that
 * belongs to a chapter's program, or is shown in excerpts only, has a page
 * `listing` of its own.
 */
export function readSource(root, file, problems, { program = null, excerpts = false } = {}) {
  const text = readText(path.join(root, file));
  const lines = text.replace(/\n$/, '').split('\n');
  const source = {
    file, name: path.basename(file), text, lines, parts: new Map(),
    program, excerpts, listing: (program || excerpts) && listingName(program, file),
  };
  const open = { name: null, first: 0 };
  for (let i = 0; i < lines.length; i += 1) {
    const where = { file, line: i + 1 };
    const marker = lines[i].match(MARKER);
    if (marker) {
      readMarker(source, open, marker[1].trim(), where, problems);
    } else if (lines[i].startsWith('TEST_CASE')) {
      const last = readTestCase(source, i, open, problems);
      if (last > i) i = last;
    }
  }
  if (open.name !== null) {
    problems.add({ file, line: open.first },
      `marker [${open.name}] has no pair; write the same line again where the part ends`);
  }
  return source;
}

/** `listing_first` for the main file of a program, `listing_second_hpp` for another one. */
function listingName(program, file) {
  return `listing_${file === program?.source ? program.name : path.basename(file).replace('.', '_')}`;
}

function readMarker(source, open, name, where, problems) {
  if (open.name === null) {
    if (source.parts.has(name)) {
      problems.add(where, `marker [${name}] opens a second part of that name; rename one of them`);
    }
    open.name = name;
    open.first = where.line;
    return;
  }
  if (open.name !== name) {
    problems.add(where, `marker [${name}] stands inside part [${open.name}]; `
      + 'parts do not overlap: close the first one before it');
    return;
  }
  const first = open.first + 1;
  const last = where.line - 1;
  if (source.lines.slice(first - 1, last).every((line) => line.trim() === '')) {
    problems.add({ file: where.file, line: open.first },
      `part [${name}] is empty; put code between its markers or remove them`);
  }
  addPart(source, { name, kind: 'part', from: open.first, first, last, to: where.line });
  open.name = null;
}

/** Notes the test case that starts at index i; returns the index of its last line. */
function readTestCase(source, i, open, problems) {
  const { lines, file } = source;
  const where = { file, line: i + 1 };
  const head = lines.slice(i, i + 8).join('\n').match(TEST_CASE);
  if (!head) {
    problems.add(where, 'a TEST_CASE without a sentence; name it by the claim it tests');
    return i;
  }
  const name = [...head[1].matchAll(/"((?:[^"\\]|\\.)*)"/g)]
    .map((piece) => piece[1].replace(/\\(.)/g, '$1')).join('');
  let end = i;
  while (end < lines.length && !lines[end].startsWith('}')) end += 1;
  if (end === lines.length) {
    problems.add(where, `test case "${name}" has no closing brace at the start of a line; `
      + 'write it as the last line of the case');
    return i;
  }
  if (open.name !== null) {
    problems.add(where, `test case "${name}" stands inside part [${open.name}]; `
      + 'a test case is a part by itself: close the other before it');
  }
  for (let k = i; k <= end; k += 1) {
    if (MARKER.test(lines[k])) {
      problems.add({ file, line: k + 1 }, `marker inside test case "${name}"; `
        + 'a test case is a part by itself: remove the marker');
    }
  }
  if (source.parts.has(name)) {
    problems.add(where, `a second part is named "${name}"; rename one of them`);
  }
  addPart(source, { name, kind: 'claim', from: i + 1, first: i + 1, last: end + 1, to: end + 1 });
  return end;
}

function addPart(source, part) {
  if (!source.parts.has(part.name)) source.parts.set(part.name, { ...part, source, shown: null });
}

/** A part's lines without the indentation they share. */
export function dedented(part) {
  const lines = part.source.lines.slice(part.first - 1, part.last);
  const depths = lines.filter((line) => line.trim()).map((line) => line.match(/^ */)[0].length);
  const depth = Math.min(...depths);
  return lines.map((line) => line.slice(depth).trimEnd());
}

/** The part `name` of the source file called `fileName`, or undefined with a problem noted. */
export function findPart(sources, fileName, name, kind, where, problems) {
  const named = sources.filter((source) => source.name === fileName);
  if (named.length !== 1) {
    problems.add(where, named.length
      ? `two files are called ${fileName}: ${list(named.map((s) => s.file))}; rename one of them`
      : `no source file is called ${fileName}; the files are `
        + list(nearest(fileName, sources.map((source) => source.name))));
    return undefined;
  }
  const part = named[0].parts.get(name);
  if (part && part.kind === kind) return part;
  const others = [...named[0].parts.values()].filter((other) => other.kind === kind);
  if (part) {
    problems.add(where, kind === 'part'
      ? `"${name}" is a test case; show it with {{claim ${fileName}: ${name}}}`
      : `"${name}" is a part, not a test case; show it with {{code ${fileName}: ${name}}}`);
  } else {
    const what = kind === 'part' ? 'part' : 'test case';
    problems.add(where, `no ${what} "${name}" in ${fileName}; it has `
      + list(nearest(name, others.map((other) => other.name))));
  }
  return undefined;
}

/** Notes that a page shows `part`; showing it twice is a problem. */
export function markShown(part, place, problems) {
  if (part.shown) {
    problems.add(place.where, `"${part.name}" of ${part.source.name} is already shown at `
      + `${part.shown.where.file}:${part.shown.where.line}; link there instead`);
    return;
  }
  part.shown = place;
}

/**
 * Every line that is neither shown nor on the left-out list is a problem. Of
 * a file that is shown in excerpts only the parts have to be.
 */
export function checkCoverage(sources, leftOut, problems) {
  for (const source of sources) {
    const covered = new Array(source.lines.length + 2).fill(false);
    for (const part of source.parts.values()) {
      covered[part.from] = part.kind === 'part' || part.shown !== null;
      covered[part.to] = covered[part.from];
      if (part.shown) covered.fill(true, part.first, part.last + 1);
    }
    if (source.excerpts) reportHidden(source, problems);
    else reportUncovered(source, covered, leftOut, problems);
  }
}

function reportHidden(source, problems) {
  for (const part of source.parts.values()) {
    if (part.shown) continue;
    problems.add({ file: source.file, line: part.from },
      `no page shows "${part.name}"; add {{code ${source.name}: ${part.name}}} to a page, or remove its markers`);
  }
}

function reportUncovered(source, covered, leftOut, problems) {
  const needsPage = (line) => {
    const text = source.lines[line - 1];
    return !covered[line] && text.trim() !== '' && !leftOut.some(({ pattern }) => pattern.test(text));
  };
  let line = 1;
  while (line <= source.lines.length) {
    if (!needsPage(line)) { line += 1; continue; }
    let last = line;
    for (let k = line + 1; k <= source.lines.length; k += 1) {
      if (needsPage(k)) last = k;
      else if (source.lines[k - 1].trim() !== '') break;
    }
    const inside = [...source.parts.values()].find((p) => line >= p.from && last <= p.to);
    const directive = inside?.kind === 'claim' ? 'claim' : 'code';
    const range = last > line ? `lines ${line} to ${last} are` : 'this line is';
    problems.add({ file: source.file, line }, inside
      ? `no page shows "${inside.name}"; add {{${directive} ${source.name}: ${inside.name}}} to a page`
      : `${range} in no part that a page shows; put markers around and show the part, `
        + 'or add a pattern to book/left_out.json');
    line = last + 1;
  }
}

/** The patterns of book/left_out.json. */
export function readLeftOut(root, problems) {
  const file = 'book/left_out.json';
  try {
    return JSON.parse(readText(path.join(root, file))).map(({ pattern, why }) => {
      if (!why) throw new Error(`the pattern ${pattern} has no "why"; say why no page needs it`);
      return { pattern: new RegExp(pattern), why };
    });
  } catch (error) {
    problems.add({ file }, `cannot be read: ${error.message}`);
    return [];
  }
}
