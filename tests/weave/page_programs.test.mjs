// A chapter's program that was compiled for the page: what the weave makes of it.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import vm from 'node:vm';
import { unescape } from '../../src/weave/html.mjs';
import { argumentsOf, typed, valuesOf } from '../../src/weave/run/controls.mjs';
import { complaints, copyBook } from './small_book.mjs';

/** Does `work` with a small book whose program has these entries more in the list of programs. */
async function withEntries(entries, work) {
  const book = copyBook();
  try {
    const [program] = JSON.parse(fs.readFileSync(book.programs, 'utf8'));
    fs.writeFileSync(book.programs, JSON.stringify([{ ...program, ...entries(book) }]));
    await work(book);
  } finally {
    book.remove();
  }
}

const compiled = (book) => {
  book.write('compiled/first.js', 'var createProgram = () => "made";');
  return { page: path.join(book.root, 'compiled/first.js') };
};

/** What a script of the book hands over. */
function handedOver(book, name) {
  let handed;
  const hand = (...given) => { handed = given; };
  vm.runInNewContext(fs.readFileSync(path.join(book.out, name), 'utf8'), { manyHeadsProgram: hand, manyHeadsData: hand });
  return handed;
}

test('outputs and figures say which run shows them', () => withEntries(compiled, async (book) => {
  assert.deepEqual(await complaints(book), []);
  const page = book.page('first.html');
  const tags = [...page.matchAll(/<figure[^>]*data-program="first"[^>]*>/g)].map(([tag]) => unescape(tag));
  for (const wanted of [
    '<figure class="output" data-program="first">',
    '<figure class="output" data-program="first" data-options="["--by","3"]">',
    '<figure class="picture" id="figure-bars" data-program="first" data-figure="bars">',
  ]) assert.ok(tags.includes(wanted), `${wanted} among ${tags.join('\n')}`);
}));

test('the program lies beside the pages, with its options', () => withEntries(compiled, async (book) => {
  assert.deepEqual(await complaints(book), []);
  const [{ name, number, options, data }, code] = handedOver(book, 'programs/first.js');
  assert.deepEqual([name, number], ['first', 1]);
  assert.equal(options.map((option) => option.name).join(), '--by');
  assert.equal(data.length, 0);
  assert.equal(code()(), 'made');
}));

test('a program that was compiled anew is put there anew', () => withEntries(compiled, async (book) => {
  assert.deepEqual(await complaints(book), []);
  book.write('compiled/first.js', 'var createProgram = () => "made again";');
  assert.deepEqual(await complaints(book), []);
  assert.equal(handedOver(book, 'programs/first.js')[1]()(), 'made again');
}));

test('its data comes in scripts, and the pages say how much it is', () => withEntries((book) => {
  book.write('data/big.bin', 'x'.repeat(3e6));
  book.write('data/code.js', 'no data');
  return { ...compiled(book), data: path.join(book.root, 'data') };
}, async (book) => {
  assert.deepEqual(await complaints(book), []);
  const [{ data: [file, ...others] }] = handedOver(book, 'programs/first.js');
  assert.deepEqual([file.file, file.bytes, others.length], ['big.bin', 3e6, 0]);
  assert.equal(Buffer.from(handedOver(book, file.script)[1], 'base64').length, 3e6);
  assert.match(book.page('first.html'), /data-program="first" data-megabytes="3"/);
}));

test('without its data, or without a compiler for it, nothing can be run in the pages', async () => {
  const withoutData = (book) => ({ ...compiled(book), data: path.join(book.root, 'not_fetched') });
  for (const entries of [() => ({}), withoutData]) {
    // eslint-disable-next-line no-await-in-loop
    await withEntries(entries, async (book) => {
      assert.deepEqual(await complaints(book), []);
      assert.doesNotMatch(book.page('first.html'), /data-program/);
      assert.ok(!fs.existsSync(path.join(book.out, 'programs')));
    });
  }
});

test('a program that the list names and nobody built stops the book with one line', () => withEntries((book) => ({ page: path.join(book.root, 'nowhere.js') }), async (book) => {
  const [line, ...others] = await complaints(book);
  assert.match(line, /the program first is not built \(no .*nowhere\.js\); build it first$/);
  assert.deepEqual(others, []);
}));

const OPTIONS = [
  { name: '--by', kind: 'number', default: 2 }, { name: '--loud', kind: 'flag', default: false }, { name: '--word', kind: 'word', default: '' },
];

test('options become values, and values the shortest arguments', () => {
  for (const args of [[], ['--by', '3'], ['--loud'], ['--by', '-1', '--loud', '--word', 'two words']]) {
    assert.deepEqual(argumentsOf(OPTIONS, valuesOf(OPTIONS, args)), args);
  }
  assert.deepEqual(argumentsOf(OPTIONS, valuesOf(OPTIONS, ['--by', '2'])), [], 'a default is not given');
});

test('arguments are typed so that a shell takes them as they are', () => {
  assert.deepEqual(['8', 'raw-merge+sqrt-d-model', 'two words', 'a "b" $c', ''].map(typed),
    ['8', 'raw-merge+sqrt-d-model', '"two words"', '"a \\"b\\" \\$c"', '""']);
});
