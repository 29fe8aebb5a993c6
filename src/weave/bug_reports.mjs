// The table of bug reports: what was reported, the case that shows it and the
// check that catches it. What is said of a report stands in
// book/bug_reports.json; which case fails which check, a program prints; where
// both are shown, the pages say. A row that lacks one of them stops the book.

import fs from 'node:fs';
import path from 'node:path';
import { emitBlock } from './emit.mjs';
import { list, nearest } from './errors.mjs';
import { readText } from './files.mjs';
import { escape, withCurlyQuotes } from './html.mjs';
import { outputParts } from './program_text.mjs';

const FILE = 'book/bug_reports.json';
const PRINTED = /^(\w+) \| (\S+) \| (caught|passed) \| (.+)$/;
const VERDICTS = ['bug', 'no bug'];

/** Every row of book/bug_reports.json, by its name ("A1"). */
export function readBugReports(root, problems) {
  const rows = new Map();
  if (!fs.existsSync(path.join(root, FILE))) return rows;
  const text = readText(path.join(root, FILE));
  let entries;
  try {
    entries = JSON.parse(text);
  } catch (error) {
    problems.add({ file: FILE }, `cannot be read: ${error.message}`);
    return rows;
  }
  if (!Array.isArray(entries)) {
    problems.add({ file: FILE }, 'is no list of rows; write [{"row": "A1", …}, …]');
    return rows;
  }
  const lines = [...text.matchAll(/"row"\s*:/g)].map(({ index }) => text.slice(0, index).split('\n').length);
  entries.forEach((entry, i) => {
    const where = { file: FILE, line: lines[i] };
    const wrong = whatIsWrong(entry);
    if (wrong) {
      problems.add(where, wrong);
      return;
    }
    const { row, said, threads, verdict = 'bug', case: shownBy, check } = entry;
    if (rows.has(row)) problems.add(where, `a second row ${row}; renumber one`);
    rows.set(row, { row, said, threads, verdict, where, shownBy, check, cases: [], table: null });
  });
  return rows;
}

const KEYS = ['row', 'said', 'threads', 'verdict', 'case', 'check'];
const ISSUE = /^([\w.-]+)\/([\w.-]+)#(\d+)$/;

/** The first fault of an entry of the file, or undefined. */
function whatIsWrong(entry) {
  if (entry === null || typeof entry !== 'object' || Array.isArray(entry)) return 'holds something that is no row; write {"row": "A1", …}';
  const { row, said, threads, verdict = 'bug', case: shownBy, check } = entry;
  if (typeof row !== 'string' || !/^[A-Z]\d+$/.test(row)) return `"${row}" is no row; name it by a letter and a number, such as A1`;
  const unknown = Object.keys(entry).find((key) => !KEYS.includes(key));
  if (unknown) return `row ${row} has a key "${unknown}"; the keys are ${KEYS.join(', ')}`;
  if (typeof said !== 'string' || !said.trim() || !Array.isArray(threads) || threads.length === 0) {
    return `row ${row} lacks what was said (a text), or threads (a list); write both`;
  }
  const odd = threads.find((thread) => typeof thread !== 'string' || !(ISSUE.test(thread) || /^https?:\/\/[^\s/]+/.test(thread)));
  if (odd !== undefined) return `row ${row} has a thread ${JSON.stringify(odd)}; write owner/project#12, or an address that starts with https://`;
  if (!VERDICTS.includes(verdict)) return `the verdict "${verdict}" of row ${row} is none; write ${VERDICTS.join(' or ')}`;
  if ((shownBy === undefined) !== (check === undefined)) return `row ${row} has a case or a check, and not the other; write both, or neither`;
  if (shownBy !== undefined && (typeof shownBy !== 'string' || typeof check !== 'string')) return `the case and the check of row ${row} are texts; write "file.cpp: name"`;
  return undefined;
}

/** `program: A` on a line: the rows of that letter. */
export async function expandBugs(block, page, book) {
  const match = block.rest.match(/^(\w+):\s*([A-Z])$/);
  const program = match && book.programs.find(({ name }) => name === match[1]);
  const rows = match ? [...book.bugReports.values()].filter(({ row }) => row.startsWith(match[2])) : [];
  if (!program || rows.length === 0) {
    book.problems.add(block.where, `${block.text} names no program or no rows; write {{bugs program: A}}, with the first letter of rows in ${FILE}`);
    return;
  }
  const twice = rows.find(({ table }) => table);
  if (twice) book.problems.add(block.where, `row ${twice.row} already stands at ${twice.table.file}:${twice.table.line}; keep one table`);
  for (const row of rows) {
    row.table = block.where;
    page.anchors.add(idOf(row));
  }
  await readPrinted(program, block.where, book);
  emitBlock(page, page.token('block', () => tableHtml(rows)), block);
}

const idOf = ({ row }) => `report-${row.toLowerCase()}`;

/** Adds to the rows what the program says of its cases, once. */
async function readPrinted(program, where, book) {
  book.bugsRead ??= new Set();
  if (book.bugsRead.has(program.name)) return;
  book.bugsRead.add(program.name);
  let lines;
  try {
    lines = outputParts(await book.runs.output(program, ['--reports'])).get('Bug reports') ?? [];
  } catch (error) {
    book.problems.add(where, error.message);
    return;
  }
  for (const line of lines) {
    const printed = line.match(PRINTED);
    const row = printed && book.bugReports.get(printed[1]);
    if (!row) {
      book.problems.add(where, `${program.name} --reports printed "${line}", which names no row of ${FILE}; write ROW | case | caught | check`);
      continue;
    }
    row.cases.push({ name: printed[2], caught: printed[3] === 'caught', check: printed[4], program });
  }
}

/** The part or claim of that name that a page shows, or undefined with a problem noted. */
function findShown(sources, name, what, row, book) {
  const found = sources.map((source) => source.parts.get(name)).find(Boolean);
  if (found?.shown) return found;
  const names = sources.flatMap((source) => [...source.parts.keys()]);
  book.problems.add(row.where, found
    ? `no page shows the ${what} "${name}" of row ${row.row}; show it with {{${found.kind === 'claim' ? 'claim' : 'code'} ${found.source.name}: ${name}}}`
    : `the ${what} "${name}" of row ${row.row} is no part of the sources; there are ${list(nearest(name, names))}`);
  return undefined;
}

/** `file.cpp: part`, looked up. */
function findNamed(text, what, row, book) {
  const [, file, name] = text.match(/^([\w.-]+):\s*(.+)$/) ?? [];
  return findShown(book.sources.filter((source) => source.name === file), name ?? text, what, row, book);
}

/** When every page is expanded: finds the case and the check of every row. */
export function checkBugReports(book) {
  for (const row of book.bugReports.values()) {
    row.found = [];
    if (!row.table) book.problems.add(row.where, `no page shows row ${row.row}; add {{bugs program: ${row.row?.[0]}}} to one`);
    if (row.shownBy) {
      const shownBy = findNamed(row.shownBy, 'case', row, book);
      const check = findNamed(row.check, 'check', row, book);
      if (shownBy && check) row.found.push({ shownBy, check, command: commandOf(check) });
    }
    for (const one of row.cases) checkCase(one, row, book);
    if (row.cases.length === 0 && !row.shownBy) {
      book.problems.add(row.where, `row ${row.row} has no case; let a case of the gallery report it, or name a "case" and a "check" here`);
    }
  }
}

/** How to run a claim: doctest takes a comma for the end of a name, so a ? stands for it. */
function commandOf({ name, kind, source }) {
  if (kind !== 'claim' || !source.program) return undefined;
  return `./mha run ${source.program.number} --test -s -tc='${name.replace(/[,'"]/g, '?')}'`;
}

function checkCase({ name, caught, check, program }, row, book) {
  if (caught !== (row.verdict === 'bug')) {
    book.problems.add(row.where, caught
      ? `row ${row.row} is no bug, but the check "${check}" fails for ${name}; correct one of them`
      : `the check "${check}" does not catch ${name}, the case of row ${row.row}; name one that does`);
  }
  const sources = book.sources.filter((source) => source.program === program || !source.program);
  const shownBy = findShown(sources, name, 'case', row, book);
  const found = findShown(sources, check, 'check', row, book);
  if (shownBy && found) row.found.push({ shownBy, check: found, command: `./mha run ${program.number} --case ${name}` });
}

function tableHtml(rows) {
  return '<div class="table bugs"><table><thead><tr><th>Reported</th><th>Shown by</th><th>Caught by</th></tr></thead>'
    + `<tbody>${rows.map(rowHtml).join('\n')}</tbody></table></div>`;
}

function rowHtml(row) {
  const threads = row.threads.map(threadLink).join(', ');
  const no = row.verdict === 'no bug' ? '<strong>No bug.</strong> ' : '';
  const each = (html) => row.found.map(html).join('<br>');
  return `<tr id="${idOf(row)}"><td><span class="number">${row.row}</span> ${no}${saidHtml(row.said)} <span class="threads">${threads}</span></td>`
    + `<td>${each(({ shownBy, command }) => partLink(shownBy)
      + (command ? `<br><kbd>${escape(command)}</kbd>` : ''))}</td>`
    + `<td>${each(({ check }) => partLink(check))}</td></tr>`;
}

const saidHtml = (said) => escape(withCurlyQuotes(said[0].toUpperCase() + said.slice(1)))
  .replace(/`([^`]+)`/g, '<code>$1</code>');

const partLink = ({ name, shown }) =>
  `<a href="${shown.page.html}#${shown.id}">${escape(withCurlyQuotes(name))}</a>`;

/** "owner/project#12" or an address. */
function threadLink(thread) {
  const issue = thread.match(ISSUE);
  if (issue) return `<a href="https://github.com/${issue[1]}/${issue[2]}/issues/${issue[3]}">${escape(issue[2])}#${issue[3]}</a>`;
  return `<a href="${escape(thread)}">${escape(new URL(thread).hostname)}</a>`;
}
