// What an exercise and its solution become in a page.

import { splitBlocks } from './book.mjs';
import { emitBlock, emitCode } from './emit.mjs';
import { list, nearest } from './errors.mjs';
import { escape, uniqueId, withCurlyQuotes } from './html.mjs';
import { valueOf } from './inline.mjs';
import { wrongRanges } from './wrong_answers.mjs';

/** `number`, shown once in the book. */
export async function expandExercise(block, page, book, expandBlocks) {
  const exercise = book.exercises.get(block.rest);
  if (!exercise) {
    book.problems.add(block.where, `no exercise ${block.rest}; there are ${list([...book.exercises.keys()])}`);
    return;
  }
  if (!showOnce(exercise, 'exercise', block, page, book)) return;
  checkPlace(exercise, block.where, page, book);
  countUnderSection([exercise], page);
  emitBlock(page, page.token('block', exerciseHead(exercise, page)), block);
  const prose = (lines, line) => expandProse(lines, { file: exercise.file, line }, page, book, expandBlocks);
  await prose(exercise.text, exercise.textLine);
  if (exercise.answer) emitBlock(page, page.token('block', answerForm(exercise, book)), block);
  for (const [i, hint] of exercise.hints.entries()) {
    emitBlock(page, page.token('block', `<details class="hint"><summary>Hint ${i + 1}</summary>`), block);
    // The hints fold out one by one, in order.
    // eslint-disable-next-line no-await-in-loop
    await prose(hint.text, hint.line);
    emitBlock(page, page.token('block', '</details>'), block);
  }
  emitBlock(page, page.token('block', () => exerciseEnd(exercise)), block);
}

/** Notes where an exercise or a solution is shown, and its anchor there. */
function showOnce(shown, word, block, page, book) {
  if (shown.shown) {
    book.problems.add(block.where, `${word} ${shown.number} is already shown at ${shown.shown.where.file}:${shown.shown.where.line}; link there instead`);
    return false;
  }
  const id = uniqueId(`${word}-${shown.number.replace('.', '-')}`, page.ids);
  page.anchors.add(id);
  shown.shown = { where: block.where, page, id };
  return true;
}

/** An exercise stands in its chapter, in the section that its header names, for readers of every depth. */
function checkPlace({ number, file, section, sectionLine }, where, page, book) {
  const wrong = (text) => book.problems.add(where, text);
  if (page.kind !== 'chapter' || number.split('.')[0] !== String(page.number)) {
    wrong(`exercise ${number} belongs to chapter ${number.split('.')[0]}; move the line to that chapter's page`);
  } else if (!page.sections.some(({ id }) => id === section)) {
    if (!section) return;
    book.problems.add({ file, line: sectionLine }, `the page has no section "${section}"; it has ${list(nearest(section, page.sections.map(({ id }) => id)))}`);
  } else if (!page.within.some(({ id }) => id === section)) {
    const here = page.within.length ? `#${page.within.at(-1).id}` : 'no section';
    wrong(`exercise ${number} stands in ${here}, but ${file}:${sectionLine} names #${section}; move the line to the end of that section, or name another there`);
  } else if (page.depth) {
    wrong(`exercise ${number} stands in a ${page.depth} block, where readers of another depth do not see it; move the line behind the block`);
  }
}

/** The contents list tells beside a section how many of its exercises are solved. */
function countUnderSection(exercises, page) {
  const section = page.within.find(({ level }) => level === 2)?.id;
  const keys = page.exercisesIn.get(section) ?? [];
  page.exercisesIn.set(section, [...new Set([...keys, ...exercises.map(({ key }) => key)])]);
}

/** The page's chapter's exercises, each with a link to where it stands. */
export function expandExercises(block, page, book) {
  const wrong = (text) => book.problems.add(block.where, text);
  if (block.rest) {
    wrong(`${block.text} is not understood; write {{exercises}} alone: it lists those of its chapter`);
  } else if (page.kind !== 'chapter') {
    wrong('{{exercises}} lists the exercises of a chapter, and this page is none; remove the line, or move it to a chapter');
  } else if (page.exercisesListed) {
    wrong(`the exercises are already listed at ${page.file}:${page.exercisesListed.line}; keep one {{exercises}}`);
  } else if (exercisesOf(page, book).length === 0) {
    wrong(`chapter ${page.number} has no exercise to list; write one, or remove the line`);
  } else if (page.depth) {
    wrong(`{{exercises}} stands in a ${page.depth} block, where readers of another depth do not see it; move the line out`);
  } else {
    page.exercisesListed = block.where;
    countUnderSection(exercisesOf(page, book), page);
    emitBlock(page, page.token('block', () => exerciseList(page, book)), block);
  }
}

/** A chapter with exercises lists them: otherwise a reader has to look for them through the page. */
export function checkListed(page, book) {
  const [first] = exercisesOf(page, book).filter(({ shown }) => shown?.page === page);
  if (!first || page.exercisesListed || page.blocks.some(({ kind, name }) => kind === 'directive' && name === 'exercises')) return;
  book.problems.add(first.shown.where, 'the page has exercises but no list of them; put {{exercises}} alone on a line in its section Exercises');
}

function exercisesOf(page, book) {
  if (page.kind !== 'chapter') return [];
  return [...book.exercises.values()].filter(({ number }) => number.split('.')[0] === String(page.number))
    .sort((a, b) => a.number.split('.')[1] - b.number.split('.')[1]);
}

function exerciseList(page, book) {
  const items = exercisesOf(page, book).map(({ number, key, name, kind, difficulty, section, shown }) => {
    const { text } = page.sections.find(({ id }) => id === section);
    return `<li data-exercise="${key}"><a href="#${shown.id}">${number} ${escape(withCurlyQuotes(name))}</a> `
      + `<span class="exercise-facts"><span>${escape(kind)}</span> ${difficultyMarks(difficulty)} `
      + `<span>at <a href="#${section}">${escape(withCurlyQuotes(text))}</a></span></span></li>`;
  });
  return `<ol class="exercise-list">${items.join('\n')}</ol>`;
}

function difficultyMarks(difficulty) {
  const marks = '●'.repeat(difficulty) + '○'.repeat(3 - difficulty);
  return `<span><span aria-hidden="true">${marks}</span><span class="heard">difficulty ${difficulty} of 3</span></span>`;
}

function exerciseHead({ number, key, name, kind, difficulty, shown }, page) {
  const level = Math.min(page.level + 1, 6);
  return `<section class="exercise" data-exercise="${key}" aria-labelledby="${shown.id}">`
    + `<h${level} class="exercise-title" id="${shown.id}"><span class="label">Exercise ${number}</span> ${escape(withCurlyQuotes(name))}</h${level}>`
    + `<p class="exercise-facts"><span>${escape(kind ?? '')}</span> `
    + `${difficultyMarks(difficulty)}</p>`;
}

/**
 * The field of a predict exercise. What is right is coded, so that nobody reads it by
 * chance, and so is what wrong answers tell: book/theme/exercises.js decodes both.
 */
function answerForm(exercise, book) {
  const { file, number, answer } = exercise;
  const value = valueOf(answer.chapter, answer.name, { file, line: answer.line }, book);
  if (!value) return '';
  if (!Number.isFinite(value.number)) {
    book.problems.add({ file, line: answer.line }, `the value "${answer.name}" is no finite number; ask for one that is`);
  }
  const wrong = wrongRanges(exercise, value.number, book).map(({ low, high, text }) => `${low} ${high} ${text}`);
  const plain = [`${value.number} ${answer.tolerance} ${value.text}`, ...wrong].join('\n');
  const id = `answer-${number.replace('.', '-')}`;
  return `<form class="answer" data-answer="${Buffer.from(plain).toString('base64')}">`
    + `<label for="${id}">Or answer ${number} here</label> <input id="${id}" inputmode="decimal" autocomplete="off" aria-describedby="${id}-said"> `
    + `<button type="submit">Check</button><p role="status" id="${id}-said"></p></form>`;
}

function exerciseEnd({ number, key, kind, solution }) {
  const mark = kind === 'predict' ? '' : '<button type="button" aria-pressed="false">Mark as solved</button>';
  const { page, id } = solution.shown;
  return `<p class="exercise-end"><a href="${page.html}#${id}">Solution ${number}</a>${mark}</p>`
    + `<p class="exercise-start"><kbd>./mha start ${number}</kbd> <span class="file">makes your copy, my/${key}.cpp</span></p></section>`;
}

/** `number` of an exercise: its solution, folded, at the back of the book. */
export async function expandSolution(block, page, book, expandBlocks) {
  const exercise = book.exercises.get(block.rest);
  if (!exercise) {
    book.problems.add(block.where, `no exercise ${block.rest} to solve; there are ${list([...book.exercises.keys()])}`);
    return;
  }
  const { solution } = exercise;
  if (page.kind !== 'appendix') {
    book.problems.add(block.where, 'a solution in the text spoils its exercise; move the line to a page at the back, 90 or higher');
    return;
  }
  if (!showOnce(solution, 'solution', block, page, book)) return;
  emitBlock(page, page.token('block', `<details class="solution" id="${solution.shown.id}"><summary>`
    + `<span class="label">Solution ${solution.number}</span> ${escape(withCurlyQuotes(exercise.name))}</summary>`), block);
  await expandProse(solution.text, { file: solution.file, line: solution.textLine }, page, book, expandBlocks);
  emitCode(page, { ...solution.code, shown: { where: block.where } }, { id: null, label: '', unlisted: true }, block);
  emitBlock(page, page.token('block', () =>
    `<p class="exercise-end"><a href="${exercise.shown.page.html}#${exercise.shown.id}">Exercise ${exercise.number}</a></p></details>`), block);
}

/** The lines of a comment: prose, math and code, but no directives. */
async function expandProse(lines, start, page, book, expandBlocks) {
  const kinds = ['text', 'blank', 'display', 'fence'];
  const blocks = splitBlocks(lines, start, book.problems);
  for (const { kind, where } of blocks) {
    if (kinds.includes(kind)) continue;
    book.problems.add(where, 'the text of an exercise or a solution holds only prose, math and code; move the rest to the page');
  }
  await expandBlocks(blocks.filter(({ kind }) => kinds.includes(kind)), page, book);
}
