// What wrong answers to a predict exercise tell: the lines "// wrong: NUMBERS | TEXT"
// in the comment that begins its check. likely_thought.cpp reads the same lines.

import fs from 'node:fs';
import path from 'node:path';
import { leadingComment } from './comments.mjs';
import { readText } from './files.mjs';
import { valueOf } from './inline.mjs';

const NUMBER = String.raw`(?:-?\d+(?:\.\d+)?|ch\d+\.[\w.-]+)`;
const LINE = new RegExp(String.raw`^wrong: (?:(other)|(from|to) (${NUMBER})|(${NUMBER})(?: within (\d+(?:\.\d+)?))?) \| (\S.*)$`);

/** The lines of an exercise's check: [{file, line, rest}], with what LINE matched. */
export function readWrongAnswers(root, file, kind, problems) {
  const check = file.replace('/exercises/', '/checks/');
  const full = path.join(root, check);
  if (!fs.existsSync(full)) return [];
  const text = readText(full);
  const found = wrongLines(leadingComment(text.split('\n'))).map((at) => ({ ...at, file: check }));
  if (found.length && kind !== 'predict') {
    problems.add(found[0], 'only a predict exercise has wrong answers to tell apart; remove the line, or change the kind');
    return [];
  }
  if (found.length && !text.includes('mha::likely_thought(my_answer, __FILE__)')) {
    problems.add(found[0], 'the check does not say this; let its message end with mha::likely_thought(my_answer, __FILE__)');
  }
  for (const { line, text: said } of found) {
    if (LINE.test(said)) continue;
    problems.add({ file: check, line }, `"${said}" is not understood; write "wrong: 20 | text", with 20, "20 within 0.5", "from 20", "to 20" or "other", and a value such as ch01.name in place of a number`);
  }
  return found.filter(({ text: said }) => LINE.test(said)).map(({ text: said, ...at }) => ({ ...at, rest: said.match(LINE) }));
}

function wrongLines(comment) {
  const lines = [];
  comment.forEach((text, i) => {
    if (text.startsWith('wrong:')) lines.push({ line: i + 1, text });
    else if (text.startsWith('  ') && lines.at(-1)?.end === i) lines.at(-1).text += ` ${text.trim()}`;
    else return;
    lines.at(-1).end = i + 1;
  });
  return lines.map(({ line, text }) => ({ line, text }));
}

/** Each as {low, high, text}: the numbers it answers, both ends among them. */
export function wrongRanges({ wrongAnswers }, right, book) {
  const ranges = [];
  for (const { file, line, rest } of wrongAnswers) {
    const where = { file, line };
    const range = rangeOf(rest, where, book);
    if (!range) continue;
    const { low, high } = range;
    const before = ranges.find((other) => other.low <= low && high <= other.high);
    if (before) {
      book.problems.add(where, `line ${before.line} answers these numbers already; remove one, or put the narrower first`);
    } else if (rest[1] === undefined && low <= right && right <= high) {
      book.problems.add(where, 'the right answer is among these numbers; name wrong ones alone');
    }
    ranges.push({ ...range, line });
  }
  return ranges;
}

function rangeOf([, other, bound, end, middle, tolerance = 0, text], where, book) {
  const named = end ?? middle;
  const value = other ? 0 : numberOf(named, where, book);
  if (value === undefined) return null;
  if (other) return { low: -Infinity, high: Infinity, text };
  if (bound === 'from') return { low: value, high: Infinity, text };
  if (bound === 'to') return { low: -Infinity, high: value, text };
  return { low: value - tolerance, high: value + Number(tolerance), text };
}

function numberOf(named, where, book) {
  const [, chapter, name] = named.match(/^ch(\d+)\.(.*)$/) ?? [];
  return name ? valueOf(Number(chapter), name, where, book)?.number : Number(named);
}
