// What the page's search finds, and in which order.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import vm from 'node:vm';
import { excerpt, marked, namesFound } from '../../src/weave/search/excerpts.mjs';
import { Search } from '../../src/weave/search/ranking.mjs';
import { askedWords, wordsOf } from '../../src/weave/search/words.mjs';
import { mathText, treeOf } from '../../src/weave/html_tree.mjs';
import { complaints, copyBook, edit } from './small_book.mjs';

let book;
let index;
before(async () => {
  book = copyBook();
  edit(book, 'book/91_solutions.md', '{{solution 1.1}}', '**Half-sum.** Half of a sum.\n\n{{solution 1.1}}');
  assert.deepEqual(await complaints(book), []);
  index = indexOf(book);
});
after(() => book.remove());

/** What a page's search gets from search_index.js. */
function indexOf({ out }) {
  let given;
  const context = { manyHeadsSearch: { read: (value) => { given = value; } } };
  vm.runInNewContext(fs.readFileSync(path.join(out, 'search_index.js'), 'utf8'), context);
  return JSON.parse(JSON.stringify(given));
}

const placesOf = ({ pages, places }) => places.map(([page, anchor, kind, depth, heading, text, names]) =>
  ({ html: pages[page].html, anchor, kind, depth, heading, text, names }));
const place = (html, anchor) => placesOf(index).find((candidate) => candidate.html === html && candidate.anchor === anchor);

test('each section is a place, and each of its depths', () => {
  assert.equal(place('first.html', 'the-sum').kind, 'section');
  assert.deepEqual([place('first.html', 'the-sum-researcher').depth, place('first.html', 'the-sum-researcher').heading], ['researcher', 'The sum']);
  assert.equal(place('first.html', 'the-code').depth, 'developer', 'a heading inside a depth');
});

test('code, claims, exercises, terms, works, reports, solutions and functions are places of their own', () => {
  const kinds = { code: 'code-first-add', claim: 'claim-the-sum-of-two-and-two-is-four', exercise: 'exercise-1-1' };
  for (const [kind, anchor] of Object.entries(kinds)) assert.equal(place('first.html', anchor)?.kind, kind, anchor);
  assert.deepEqual([place('solutions.html', 'term-half-sum').kind, place('solutions.html', 'term-half-sum').heading], ['term', 'Half-sum']);
  assert.equal(place('bibliography.html', 'ref-knuth1984').kind, 'work');
  assert.equal(place('more_first_things.html', 'report-a1').kind, 'report');
  assert.equal(place('solutions.html', 'solution-1-1').kind, 'solution');
  assert.equal(placesOf(index).find(({ kind, heading }) => kind === 'reference' && heading === 'twice()').html, 'mha.html');
  assert.equal(place('listing_first.html', '').kind, 'listing');
});

test('every place is an anchor of its page', () => {
  for (const { html, anchor } of placesOf(index)) {
    if (anchor) assert.ok(book.page(html).includes(` id="${anchor}"`), `${html}#${anchor}`);
  }
});

test('text is as one reads it: formulas on a line, no hint, no solution, no label', () => {
  assert.match(place('first.html', 'the-sum').text, /^The program says 4, and in math that is 2 \+ 2 = 4\. See \(Knuth 1984; Shazeer 2019\)\./);
  assert.doesNotMatch(place('first.html', 'exercise-1-1').text, /fingers|difficulty/);
  assert.equal(place('solutions.html', 'solution-1-1').text, '');
  assert.doesNotMatch(place('first.html', 'the-sum-researcher').text, /Researcher/);
});

test('code gives its names, without keywords, and its comments as text', () => {
  const { names, text } = place('first.html', 'code-first-add');
  assert.ok(names.split(' ').includes('add'));
  assert.doesNotMatch(` ${names} `, / (?:int|return|mha) /);
  assert.match(text, /^Adds\.$/);
});

test('a page that has not changed is not read again, and one that has is', async () => {
  const other = copyBook();
  assert.deepEqual(await complaints(other), []);
  const kept = path.join(other.root, 'build/places.json');
  const places = JSON.parse(fs.readFileSync(kept, 'utf8'));
  for (const rows of Object.values(places)) for (const row of rows) row[4] = `kept ${row[4]}`;
  fs.writeFileSync(kept, JSON.stringify(places));
  edit(other, 'book/01a_more_first_things.md', 'What did others say of sums?', 'What did others say of products?');
  assert.deepEqual(await complaints(other), []);
  const texts = placesOf(indexOf(other)).filter(({ anchor }) => anchor === '').map(({ html, text }) => [html, text]);
  assert.match(new Map(texts).get('first.html'), /^kept /);
  assert.match(new Map(texts).get('more_first_things.html'), /^What did others say of products/);
  other.remove();
});

test('a name is found whole and by its parts, whatever way it is written', () => {
  assert.deepEqual(wordsOf('max_difference'), ['maxdifference', 'max', 'difference']);
  assert.deepEqual(wordsOf('KvCache'), ['kvcache', 'kv', 'cache']);
  assert.deepEqual(wordsOf('mha::head_of(x)'), ['mha', 'headof', 'head', 'of', 'x']);
  assert.deepEqual(wordsOf('W_O Señor’s 2.98e-08'), ['wo', 'w', 'o', 'senors', '2', '98e', '08']);
  assert.deepEqual(askedWords('kv_cache KvCache'), ['kvcache', 'kvcache']);
  assert.deepEqual(askedWords('  ?! '), []);
});

/** A book of these places, each [kind, heading, text, names, depth, page]. */
function bookOf(...places) {
  const pages = [{ html: 'a.html', title: 'Softmax', label: 'Chapter 1' }, { html: 'b.html', title: 'Other', label: 'Chapter 2' }];
  return new Search({ pages, places: places.map(([kind, heading, text = '', names = '', depth = '', page = 1], i) =>
    [page, heading === '' ? '' : `x${i}`, kind, depth, heading, text, names]) }).read();
}
const idsOf = ({ found }) => found.map(({ place: { id } }) => id);

test('a title comes before a heading, a heading before a name, a name before prose', async () => {
  const search = await bookOf(
    ['section', 'Prose', 'there is a softmax in this text and some more of it'],
    ['section', 'Names', 'there is nothing in this text', 'softmax'],
    ['section', 'On softmax', 'there is nothing in this text'],
    ['section', '', 'there is nothing in this text', '', '', 0],
  );
  assert.deepEqual(idsOf(search.ask('softmax')), [3, 2, 1, 0]);
});

test('a heading that is what was asked comes first', async () => {
  const search = await bookOf(['section', 'Masks and masks, and why a mask hides', 'mask mask mask'], ['section', 'Mask', 'table']);
  assert.deepEqual(idsOf(search.ask('mask')), [1, 0]);
});

test('beginnings of words and small slips are found, other words are not', async () => {
  const search = await bookOf(['section', 'A', 'the softmax of a row'], ['section', 'B', 'a difference', 'max_difference'], ['section', 'C', 'rotary']);
  for (const typed of ['softm', 'sofmax', 'sotfmax', 'SOFTMAX']) assert.deepEqual(idsOf(search.ask(typed)), [0], typed);
  for (const typed of ['difference', 'max_diff', 'maxdiff', 'differrence']) assert.deepEqual(idsOf(search.ask(typed)), [1], typed);
  for (const typed of ['hardmax', 'ax', 'zzz', '', ' ', '"', '(*']) assert.deepEqual(idsOf(search.ask(typed)), [], typed);
});

test('places with every word come before those with some, and it says so', async () => {
  const search = await bookOf(['section', 'Causal', 'causal causal'], ['section', 'B', 'a causal mask'], ['section', 'C', 'a mask']);
  const { found, all } = search.ask('causal mask');
  assert.equal(found[0].place.id, 1);
  assert.equal(found.length, 3);
  assert.equal(all, false);
  assert.equal(search.ask('causal').all, true);
});

test('a section that answers at several depths stands once, at the reader\'s', async () => {
  const search = await bookOf(['section', 'Scale', ''], ['section', 'Scale', 'scale scale', '', 'developer'], ['section', 'Scale', 'the scale is here', '', 'researcher']);
  assert.deepEqual(idsOf(search.ask('scale', 'researcher')), [2]);
  assert.deepEqual(idsOf(search.ask('scale', 'developer')), [1]);
  assert.equal(idsOf(search.ask('scale', 'all')).length, 1);
  assert.deepEqual(idsOf(search.ask('scale here', 'developer')), [2], 'one that has every word stands before one that has some');
});

test('an excerpt shows the words asked for, marked, and what was left out', () => {
  const text = `${'before '.repeat(60)}here a max_difference and a softmax stand ${'behind '.repeat(60)}`.trim();
  const words = new Set(['difference', 'softmax']);
  const piece = excerpt(text, words);
  assert.match(piece, /^… (?:before )+here a max_difference and a softmax stand (?:behind )+…$/);
  assert.ok(piece.length < 200);
  assert.deepEqual(marked(piece, words).filter((part) => part.marked).map((part) => part.text), ['max_difference', 'softmax']);
  assert.equal(marked(piece, words).map((part) => part.text).join(''), piece);
  assert.equal(excerpt('short', new Set()), 'short');
  assert.equal(excerpt('x'.repeat(1000), new Set(['y'])).length, 172);
  assert.deepEqual(namesFound(['max_difference', 'mean'], words), ['max_difference']);
});

test('a formula reads on one line', () => {
  const text = (math) => mathText(treeOf(`<math>${math}</math>`));
  assert.equal(text('<msub><mi>d</mi><mi>model</mi></msub><mo>=</mo><mn>2</mn>'), 'd_model = 2');
  assert.equal(text('<mfrac><mi>a</mi><msqrt><mi>d</mi></msqrt></mfrac>'), 'a/√d');
  assert.equal(text('<msup><mi>x</mi><mn>2</mn></msup><mo>&lt;</mo><msubsup><mi>y</mi><mi>i</mi><mi>k</mi></msubsup>'), 'x² < y_i^k');
});
