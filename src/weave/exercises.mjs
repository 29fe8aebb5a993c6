// The exercises: their texts come from the comment that begins each file.

import path from 'node:path';
import { filesUnder, readText } from './files.mjs';

const KINDS = ['predict', 'implement', 'find the bug', 'prove or measure'];
const FILE = /^chapters\/(\d\d)_[^/]+\/exercises\/(\d+)_([a-z0-9_]+)\.cpp$/;

/** Every exercise by number ("2.1"). */
export function readExercises(root, problems) {
  const exercises = new Map();
  for (const full of filesUnder(path.join(root, 'chapters'))) {
    const file = path.relative(root, full).split(path.sep).join('/');
    if (!/\/exercises\/[^/]+\.cpp$/.test(file)) continue;
    const match = file.match(FILE);
    if (!match) {
      problems.add({ file }, 'is no exercise name; call it K_name.cpp in chapters/NN_name/exercises');
      continue;
    }
    const number = `${Number(match[1])}.${Number(match[2])}`;
    if (exercises.has(number)) problems.add({ file }, `a second exercise ${number}; renumber one`);
    exercises.set(number, readExercise(root, file, number, problems));
  }
  return exercises;
}

/** An exercise that no page shows is a problem. */
export function checkAllShown(exercises, problems) {
  for (const { number, file, shown } of exercises.values()) {
    if (!shown) problems.add({ file, line: 1 }, `no page shows exercise ${number}; add {{exercise ${number}}} to a page`);
  }
}

function readExercise(root, file, number, problems) {
  const comment = leadingComment(readText(path.join(root, file)));
  const { facts, text, textLine, hints } = splitComment(comment);
  const wrong = (line, message) => problems.add({ file, line }, message);
  const name = comment[0]?.match(/^Exercise (\d+\.\d+): (.+)$/);
  if (name?.[1] !== number) {
    wrong(1, `the first line must read "// Exercise ${number}: Name of the exercise"`);
  }
  const kind = facts.get('kind');
  if (!KINDS.includes(kind)) {
    wrong(2, `the header must have a line "// kind: ..." with one of ${KINDS.join(', ')}`);
  }
  const difficulty = Number(facts.get('difficulty'));
  if (![1, 2, 3].includes(difficulty)) wrong(3, 'the header must have a line "// difficulty: ..." with 1, 2 or 3');
  for (const fact of ['section', 'check']) {
    if (!facts.get(fact)) wrong(1, `the header must have a line "// ${fact}: ..."; docs/architecture.md says what goes there`);
  }
  if (text.every((line) => line.trim() === '')) {
    wrong(textLine, 'the exercise has no text; say after an empty comment line what to do');
  }
  if (hints.length === 0) wrong(1, 'the exercise has no hint; add a line "// hint: ..." after the text');
  return {
    number, file, name: name?.[2] ?? '', kind, difficulty, section: facts.get('section'), text, textLine, hints, shown: null,
  };
}

/** The header's facts up to the first empty line, the text, and the hints. */
function splitComment(comment) {
  const blank = comment.findIndex((line) => line.trim() === '');
  const textStart = blank < 0 ? comment.length : blank + 1;
  const facts = new Map(comment.slice(1, textStart)
    .map((line) => line.match(/^(\w+): (.+)$/)).filter(Boolean)
    .map(([, name, value]) => [name, value.trim()]));
  const firstHint = comment.findIndex((line, i) => i >= textStart && line.startsWith('hint:'));
  const textEnd = firstHint < 0 ? comment.length : firstHint;
  const hints = [];
  comment.slice(textEnd).forEach((line, i) => {
    const begin = line.match(/^hint:\s*(.*)$/);
    if (begin) hints.push({ line: textEnd + i + 1, text: [begin[1]] });
    else hints.at(-1)?.text.push(line.trim());
  });
  return { facts, text: comment.slice(textStart, textEnd), textLine: textStart + 1, hints };
}

function leadingComment(text) {
  const lines = text.split('\n');
  const end = lines.findIndex((line) => !line.startsWith('//'));
  return lines.slice(0, end < 0 ? lines.length : end).map((line) => line.replace(/^\/\/ ?/, ''));
}

