// The reference of the library: where what is said of a name stands.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { complaints, copyBook, edit } from './small_book.mjs';

const LIBRARY = `#pragma once

/// \\file
/// Sums, by Knuth et al. and others.

/// The library.
namespace mha {

// [pair]
/// Two numbers, after Knuth et al. in 1984.
struct Pair {
  /// Nothing in it.
  Pair() = default;
  int first = 0;   ///< the one
  int second = 0;  ///< the other

  /// Both.
  /// \\tparam T     what to add them as
  /// \\param start  what to begin with
  /// \\return       start + first + second
  /// \\throws std::overflow_error  when they are too large
  template <typename T>
  T sum(const T& start) const { return start + first + second; }
};
// [pair]

// [twice]
/// \\param x            the number
/// \\param and_a_third  a \`Pair\` that is added, if there is one
/// \\param and_possibly_more     nothing
/// \\return             2 x
inline int twice(int x, const Pair& and_a_third = {},
                 long long and_possibly_more = 3) {
  return 2 * x + and_a_third.first + 0 * static_cast<int>(and_possibly_more);
}
// [twice]

// [way]
/// Up or down.
enum class Way {
  up,   ///< to the sky
  down  ///< to the ground
};
// [way]

}  // namespace mha
`;

let book;
before(async () => {
  book = copyBook();
  book.write('src/mha/tiny.hpp', LIBRARY);
  edit(book, 'book/01_first.md', '{{code tiny.hpp: twice}}', '{{code tiny.hpp: twice}}\n\n{{code tiny.hpp: pair}}\n\n{{code tiny.hpp: way}}\n\nIt goes `mha::Way::up`.');
  assert.deepEqual(await complaints(book), []);
});
after(() => book.remove());

const holds = (page, wanted) => assert.ok(wanted.test(page), `the page lacks ${wanted}`);

test('a function stands on the page of the file that declares it, and links lead there', () => {
  holds(book.page('tiny.hpp.html'), /<section class="member" id="a[0-9a-f]{7}"><h3 class="memtitle">twice\(\)<\/h3>/);
  holds(book.page('first.html'), /<a href="tiny\.hpp\.html#a[0-9a-f]{7}">mha::twice<\/a>/);
  assert.doesNotMatch(book.page('mha.html'), /class="member"/);
});

test('a long declaration has a line a parameter, with its default', () => {
  holds(book.page('tiny.hpp.html'), /<code>int mha::twice\(\n {4}int x,\n {4}const <a href="mha\.Pair\.html">Pair<\/a>&amp; and_a_third = \{\},\n {4}long long and_possibly_more = 3\)\n<\/code>/);
});

test('parameters, result and errors are named, and a template says so', () => {
  const page = book.page('mha.Pair.html');
  holds(page, /<code>template &lt;typename T&gt;\nT mha::Pair::sum\(const T&amp; start\) const\n<\/code>/);
  holds(page, /<p class="what">Parameters<\/p><dl class="named"><dt>start<\/dt><dd>what to begin with<\/dd><\/dl>/);
  holds(page, /<span class="what">Returns<\/span> start \+ first \+ second<\/p>/);
  holds(page, /<p class="what">Throws<\/p><dl class="named"><dt>std::overflow_error<\/dt><dd>when they are too large<\/dd><\/dl>/);
});

test('every member of a type is there, those with one line of comment too', () => {
  const names = [...book.page('mha.Pair.html').matchAll(/class="memtitle">([^<]*)</g)].map(([, name]) => name);
  assert.deepEqual(names, ['Pair()', 'sum()', 'first', 'second']);
  holds(book.page('mha.Pair.html'), /<code>Pair\(\) = default\n<\/code><\/pre><\/figure><p>Nothing in it\.<\/p>/);
});

test('the values of an enumeration have anchors of their own', () => {
  holds(book.page('tiny.hpp.html'), /<dt id="a[0-9a-f]{7}a[0-9a-f]{7}">up<\/dt><dd>to the sky<\/dd>/);
});

test('the namespace lists every name by its file, with what it is', () => {
  const page = book.page('mha.html');
  holds(page, /<h2 id="tiny\.hpp"><a href="tiny\.hpp\.html">tiny\.hpp<\/a><\/h2><p>Sums, by Knuth et al\. and others\.<\/p>/);
  holds(page, /<li><a href="mha\.Pair\.html"><code>Pair<\/code><\/a> Two numbers, after Knuth et al\. in 1984\.<\/li>/);
  holds(page, /<code>twice\(\)<\/code><\/a> 2 x<\/li>/);
});

test('a name whose file has no page of its own stays with its namespace', async () => {
  const other = copyBook();
  assert.deepEqual(await complaints(other), []);
  holds(other.page('mha.html'), /<section class="member" id="(a[0-9a-f]{7})"><h3 class="memtitle">twice\(\)<\/h3>/);
  holds(other.page('first.html'), /<a href="mha\.html#a[0-9a-f]{7}">mha::twice<\/a>/);
  other.remove();
});

test('no anchor of Doxygen\'s is lost', () => {
  const raw = path.join(book.root, 'build/doxygen');
  const anchors = fs.readdirSync(raw).filter((name) => /^(?:namespace|struct)mha/.test(name))
    .flatMap((name) => [...fs.readFileSync(path.join(raw, name), 'utf8').matchAll(/<a id="(a[0-9a-f]{7})[0-9a-f]{25}(?:(a[0-9a-f]{7})[0-9a-f]{25})?"/g)])
    .map(([, name, value = '']) => name + value);
  const kept = ['mha.html', 'mha.Pair.html', 'tiny.hpp.html'].map((name) => book.page(name)).join('');
  assert.ok(anchors.length >= 8);
  assert.deepEqual(anchors.filter((anchor) => !kept.includes(` id="${anchor}"`)), []);
});
