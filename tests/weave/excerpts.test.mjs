// Files that the book shows in excerpts only: those of the CPU device.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { complaints, copyBook } from './small_book.mjs';

const FILE = 'src/device/tiny_fiber.cpp';
const PAGE = 'book/01a_more_first_things.md';

let book;
beforeEach(() => {
  book = copyBook();
  book.write(FILE, '#include "tiny_fiber.hpp"\n\nint unseen = 1;\n\n// [wait]\nvoid wait() {}\n// [wait]\n');
});
afterEach(() => book.remove());

test('one part is shown, and the listing has every line', async () => {
  book.write(PAGE, `${book.read(PAGE)}\n{{code tiny_fiber.cpp: wait}}\n`);
  assert.deepEqual(await complaints(book), []);
  assert.match(book.page('more_first_things.html'),
    /<a href="listing_tiny_fiber_cpp\.html#l6">tiny_fiber\.cpp, line 6<\/a>/);
  const listing = book.page('listing_tiny_fiber_cpp.html');
  assert.match(listing, /src\/device\/tiny_fiber\.cpp<\/code>, of which the book shows excerpts/);
  assert.match(listing, /unseen = /);
  assert.match(listing, /shown in More first things/);
});

test('a file without parts has no listing', async () => {
  book.write(FILE, 'int unseen = 1;\n');
  assert.deepEqual(await complaints(book), []);
  assert.throws(() => book.page('listing_tiny_fiber_cpp.html'), /ENOENT/);
});

test('a part that no page shows stops the book', async () => {
  assert.deepEqual(await complaints(book), [
    `${FILE}:5: no page shows "wait"; add {{code tiny_fiber.cpp: wait}} to a page, or remove its markers`]);
});
