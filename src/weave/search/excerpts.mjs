// The words of an answer in their context.

import { wordsIn, wordsOf } from './words.mjs';

const LENGTH = 170;   // characters of an excerpt
const NAMES = 4;

/** The text in pieces, {text, marked}: those words marked that `words` holds. */
export function marked(text, words) {
  const pieces = [];
  let end = 0;
  for (const { word, at } of wordsIn(text)) {
    if (!wordsOf(word).some((known) => words.has(known))) continue;
    if (at > end) pieces.push({ text: text.slice(end, at), marked: false });
    pieces.push({ text: word, marked: true });
    end = at + word.length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end), marked: false });
  return pieces;
}

/** The stretch of a text with the most different words of `words`, or its beginning. */
export function excerpt(text, words) {
  const hits = wordsIn(text).map(({ word, at }) => ({ at, known: wordsOf(word).find((known) => words.has(known)) }))
    .filter(({ known }) => known);
  let best = { from: 0, count: 0 };
  hits.forEach(({ at }, i) => {
    const near = hits.slice(i).filter((hit) => hit.at < at + LENGTH * 0.75);
    const count = new Set(near.map(({ known }) => known)).size;
    if (count > best.count) best = { from: at, count };
  });
  return stretch(text, best.from);
}

/** About LENGTH characters around `at`, whole words, with … where something is left out. */
function stretch(text, at) {
  if (text.length <= LENGTH) return text;
  let from = Math.max(0, Math.min(at - LENGTH / 4, text.length - LENGTH));
  from = Math.floor(from);
  const gap = text.indexOf(' ', from);
  if (from > 0 && gap >= 0 && gap < at) from = gap + 1;
  let to = Math.min(text.length, from + LENGTH);
  if (to < text.length) to = text.lastIndexOf(' ', to) > from + LENGTH / 2 ? text.lastIndexOf(' ', to) : to;
  return `${from > 0 ? '… ' : ''}${text.slice(from, to)}${to < text.length ? ' …' : ''}`;
}

/** The names of code that answer. */
export function namesFound(names, words) {
  return names.filter((name) => wordsOf(name).some((known) => words.has(known))).slice(0, NAMES);
}
