// What an exercise and its solution become in a page.

import { splitBlocks } from './book.mjs';
import { emitBlock, emitCode } from './emit.mjs';
import { list } from './errors.mjs';
import { escape, uniqueId, withCurlyQuotes } from './html.mjs';
import { valueOf } from './inline.mjs';

/** `number`, shown once in the book. */
export async function expandExercise(block, page, book, expandBlocks) {
  const exercise = book.exercises.get(block.rest);
  if (!exercise) {
    book.problems.add(block.where, `no exercise ${block.rest}; there are ${list([...book.exercises.keys()])}`);
    return;
  }
  if (!showOnce(exercise, 'exercise', block, page, book)) return;
  if (exercise.section && !page.anchors.has(exercise.section)) {
    book.problems.add({ file: exercise.file, line: 1 }, `the page has no section "${exercise.section}"; name one as its links do, such as common-mistakes`);
  }
  countUnderSection(exercise, page);
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

/** The contents list tells beside a section how many of its exercises are solved. */
function countUnderSection({ number }, page) {
  const numbers = page.exercisesIn.get(page.chapterSection) ?? [];
  page.exercisesIn.set(page.chapterSection, [...numbers, number]);
}

function exerciseHead({ number, name, kind, difficulty, shown }, page) {
  const level = Math.min(page.level + 1, 6);
  const marks = '●'.repeat(difficulty) + '○'.repeat(3 - difficulty);
  return `<section class="exercise" data-number="${number}" aria-labelledby="${shown.id}">`
    + `<h${level} class="exercise-title" id="${shown.id}"><span class="label">Exercise ${number}</span> ${escape(withCurlyQuotes(name))}</h${level}>`
    + `<p class="exercise-facts"><span>${escape(kind ?? '')}</span> `
    + `<span><span aria-hidden="true">${marks}</span><span class="heard">difficulty ${difficulty} of 3</span></span></p>`;
}

/** The field of a predict exercise. What is right is coded, so that nobody reads it by chance. */
function answerForm({ file, number, answer }, book) {
  const value = valueOf(answer.chapter, answer.name, { file, line: answer.line }, book);
  if (!value) return '';
  if (!Number.isFinite(value.number)) {
    book.problems.add({ file, line: answer.line }, `the value "${answer.name}" is no finite number; ask for one that is`);
  }
  const plain = encodeURIComponent(`${value.number} ${answer.tolerance} ${value.text}`);
  const id = `answer-${number.replace('.', '-')}`;
  return `<form class="answer" data-answer="${Buffer.from(plain).toString('base64')}">`
    + `<label for="${id}">Or answer ${number} here</label> <input id="${id}" inputmode="decimal" autocomplete="off" aria-describedby="${id}-said"> `
    + `<button type="submit">Check</button><p role="status" id="${id}-said"></p></form>`;
}

function exerciseEnd({ number, file, kind, solution }) {
  const mark = kind === 'predict' ? '' : '<button type="button" aria-pressed="false">Mark as solved</button>';
  const { page, id } = solution.shown;
  return `<p class="exercise-end"><a href="${page.html}#${id}">Solution ${number}</a>${mark}</p>`
    + `<p class="exercise-start"><kbd>./mha start ${number}</kbd> <span class="file">${escape(file)}</span></p></section>`;
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
