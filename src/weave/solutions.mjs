// The solutions: one file for each exercise, explained by the comment at its head.

import path from 'node:path';
import { filesUnder, readText } from './files.mjs';
import { leadingComment } from './comments.mjs';

const GIVEN_AWAY = 3;   // lines of code in a row that give a solution away

/** Gives every exercise its `solution`; one without is a problem, and so is a solution of nothing. */
export function readSolutions(root, exercises, problems) {
  const files = new Set(filesUnder(path.join(root, 'chapters'))
    .map((full) => path.relative(root, full).split(path.sep).join('/'))
    .filter((file) => /\/solutions\/[^/]+\.cpp$/.test(file)));
  for (const exercise of exercises.values()) {
    const file = exercise.file.replace('/exercises/', '/solutions/');
    if (files.delete(file)) exercise.solution = readSolution(root, file, exercise, problems);
    else problems.add({ file: exercise.file, line: 1 }, `exercise ${exercise.number} has no solution; write ${file}`);
  }
  for (const file of files) {
    problems.add({ file, line: 1 }, 'solves no exercise; give it the name of one, or remove it');
  }
}

function readSolution(root, file, { number, name }, problems) {
  const lines = readText(path.join(root, file)).replace(/\n$/, '').split('\n');
  const comment = leadingComment(lines);
  const title = `Solution ${number}: ${name}`;
  if (comment[0] !== title) problems.add({ file, line: 1 }, `the first line must read "// ${title}"`);
  const text = comment.slice(1);
  if (text.every((line) => line.trim() === '')) {
    problems.add({ file, line: 1 }, 'the solution does not explain itself; say in the comment at its head why it is right');
  }
  const code = { first: comment.length + 1, last: lines.length, name: title, source: { file, name: file, lines } };
  return { number, file, text, textLine: 2, code, shown: null };
}

/** A solution that no page shows, or that a page gives away, is a problem. */
export function checkSolutions(book) {
  const shown = shownCode(book);
  for (const { number, file: exerciseFile, solution } of book.exercises.values()) {
    if (!solution.shown) {
      book.problems.add({ file: solution.file, line: 1 }, `no page shows solution ${number}; add {{solution ${number}}} to a page at the back`);
    }
    const given = new Set(codeLines(readText(path.join(book.root, exerciseFile)).split('\n'), 1).map(({ text }) => text));
    const { source, first } = solution.code;
    const lines = codeLines(source.lines.slice(first - 1), first);
    for (const { where, text } of shown) {
      const found = firstRun(lines, text, given);
      if (found) {
        book.problems.add(where, `the page shows what solution ${number} holds from line ${found.line} on; `
          + 'show less here, or change the exercise');
      }
    }
  }
}

/** The code that pages show, each piece with its place: parts, claims and fenced code. */
function shownCode(book) {
  const parts = book.sources.flatMap((source) => [...source.parts.values()]
    .filter((part) => part.shown)
    .map((part) => ({ where: part.shown.where, lines: source.lines.slice(part.first - 1, part.last) })));
  const fences = book.pages.flatMap((page) => page.blocks.filter(({ kind }) => kind === 'fence'));
  return [...parts, ...fences].map(({ where, lines }) => ({ where, text: joined(codeLines(lines, 1)) }));
}

/** The first of the lines in a row that stand in `text`, unless the exercise gives them all. */
function firstRun(lines, text, given) {
  for (let i = 0; i + GIVEN_AWAY <= lines.length; i += 1) {
    const run = lines.slice(i, i + GIVEN_AWAY);
    if (run.some((line) => !given.has(line.text)) && text.includes(joined(run))) return run[0];
  }
  return undefined;
}

const joined = (lines) => `\n${lines.map(({ text }) => text).join('\n')}\n`;

/** Lines that say something: without space, comments, includes, and lone braces or `return x;`. */
function codeLines(lines, first) {
  return lines
    .map((line, i) => ({ line: first + i, text: line.replace(/\/\/.*$/, '').replace(/\s+/g, '') }))
    .filter(({ text }) => /\w/.test(text) && !/^(?:#include|using|return\w+;$)/.test(text));
}
