// The exercises: their texts come from the comment that begins each file.

import fs from 'node:fs';
import path from 'node:path';
import { leadingComment } from './comments.mjs';
import { filesUnder, readText } from './files.mjs';
import { readWrongAnswers } from './wrong_answers.mjs';

const KINDS = ['predict', 'implement', 'find the bug', 'prove or measure'];
const ANSWER = /^answer: ch(\d+)\.([\w.-]+) within (\d+(?:\.\d+)?)$/;
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
  const comment = leadingComment(readText(path.join(root, file)).split('\n'));
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
  const answer = readAnswer(kind, comment, wrong);
  if (answer) checkReadsIt(answer, root, file, problems);
  return {
    number, key: keyOf(file), file, name: name?.[2] ?? '', kind, difficulty, section: facts.get('section'),
    sectionLine: comment.findIndex((line) => line.startsWith('section:')) + 1,
    answer, wrongAnswers: readWrongAnswers(root, file, kind, problems), text, textLine, hints, solution: null, shown: null,
  };
}

/** What marks an exercise as solved: its file's name in `my/`, so that a new number takes no mark over. */
function keyOf(file) {
  const [, chapter, k, name] = file.match(FILE);
  return `${chapter}_${k}_${name}`;
}

/** Which value of which program is right in a predict exercise: {chapter, name, tolerance, line}. */
function readAnswer(kind, comment, wrong) {
  const line = comment.findIndex((text) => text.startsWith('answer:')) + 1;
  const match = comment[line - 1]?.match(ANSWER);
  if (kind !== 'predict') {
    if (line) wrong(line, 'only a predict exercise has an answer to check; remove the line, or change the kind');
  } else if (!match) {
    wrong(line || 1, 'a predict exercise must have a line "// answer: ch01.name within 0.005": a value of a program, and how far off is still right');
  } else {
    return { chapter: Number(match[1]), name: match[2], tolerance: match[3], line };
  }
  return null;
}

/** The page and the command must call the same answer right. */
function checkReadsIt({ name, line }, root, file, problems) {
  const check = file.replace('/exercises/', '/checks/');
  const full = path.join(root, check);
  if (!fs.existsSync(full) || !new RegExp(`"ch\\d+\\.${name}"`).test(readText(full))) {
    problems.add({ file, line }, `${check} does not read "${name}"; let it compare with the same value`);
  }
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

