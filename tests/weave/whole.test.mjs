// The small book, made whole: what its pages hold, and what is made again when.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { compact, withQuotes } from '../../src/weave/compact.mjs';
import { relativePath } from '../../src/weave/glyphs.mjs';
import { inlineSvg } from '../../src/weave/figures.mjs';
import { repeatedAttributes } from '../../src/weave/links.mjs';
import { complaints, copyBook, edit } from './small_book.mjs';

const WEAVE = fileURLToPath(new URL('../../src/weave/weave.mjs', import.meta.url));

let book;
before(async () => {
  book = copyBook();
  assert.deepEqual(await complaints(book), []);
});
after(() => book.remove());

/** Says in one line what a page lacks. */
const holds = (page, wanted) => assert.ok(wanted.test(page), `the page lacks ${wanted}`);

const pages = () => fs.readdirSync(book.out).filter((name) => name.endsWith('.html')).sort();

test('it has a page for each file of prose, each file of a program, and the library', () => {
  assert.deepEqual(pages(), ['bibliography.html', 'first.html', 'glossary.html', 'index.html', 'listing_first.html', 'listing_second_hpp.html', 'mha.html', 'more_first_things.html', 'solutions.html', 'tiny.hpp.source.html']);
});

test('no placeholder and no directive is left in any page', () => {
  for (const name of pages()) {
    assert.doesNotMatch(book.page(name), /MHAx\d+x|\{\{|:::|\\code|\\endcode/, name);
  }
});

test('math, values, citations and equations stand where the prose puts them', () => {
  const page = book.page('first.html');
  holds(page, /The program says 4, and in math that is <span><svg aria-hidden="true"[^>]*>(?:<(?:use|path) [^>]*>)+<\/svg><math><mn>2<\/mn><mo>\+<\/mo><mn>2<\/mn><mo>=<\/mo><mn>4<\/mn><\/math>\.<\/span> See/);
  holds(page, /\(<a class="cite" href="bibliography\.html#ref-knuth1984" title="Donald E\. Knuth \(1984\)\. The TeXbook\. Addison-Wesley\.">Knuth 1984<\/a>; <a class="cite" href="bibliography\.html#ref-shazeer2019" title="[^"]+">Shazeer 2019<\/a>\)/);
  holds(page, /<div class="equation" id="eq-half">[\s\S]*<span class="number">\(1\.1\)<\/span>/);
  holds(page, /By <a class="eqref" href="first\.html#eq-half">\(1\.1\)<\/a>/);
  holds(page, /a price is \$5\./);
  holds(page, /<code class="whole">--by 3 \| more<\/code>/);
});

test('every glyph and formula that is used is drawn once in the page', () => {
  const page = book.page('first.html');
  const drawn = [...page.matchAll(/<(?:path|g|use) id="((?:g|f)[^"]*)"/g)].map((match) => match[1]);
  assert.equal(new Set(drawn).size, drawn.length);
  for (const [, id] of page.matchAll(/<use href="#([^"]+)"/g)) assert.ok(drawn.includes(id), id);
});

test('code carries its file, its lines and a link to the full listing, and links its names', () => {
  const page = book.page('first.html');
  holds(page, /<figure class="listing" id="code-first-add"><figcaption><span class="part">add<\/span> <a href="listing_first\.html#l6">first\.cpp, lines 6–9<\/a>/);
  holds(page, /<span class="n" aria-hidden="true">6\n7\n8\n9<\/span><code><i>\/\/\/ Adds\.<\/i>\n<b>int<\/b> add\(<b>int<\/b> a, <b>int<\/b> b\) \{\n/);
  holds(page, /<a href="mha\.html#a[0-9a-f]{7}">mha::twice<\/a>\(b\) \? mha::twice\(a\)/);
  holds(page, /<details class="folded"><summary>How it <code>prints<\/code><\/summary>/);
});

test('the full listing has every line, and links each part to where it is shown', () => {
  const listing = book.page('listing_first.html');
  const lines = book.read('chapters/01_first/first.cpp').trimEnd().split('\n').length;
  assert.equal([...listing.matchAll(/<span class="l" id="l\d+">/g)].length, lines);
  holds(listing, /id="l5"><i>\/\/ \[add\]<\/i> <a class="shown" href="first\.html#code-first-add">shown in First things, The code<\/a>/);
  holds(book.page('tiny.hpp.source.html'), /<a class="shown" href="first\.html#code-tiny-twice">/);
});

test('a marked term leads to its entry, and the first link to it says what it is', () => {
  holds(book.page('first.html'), /one <a class="term" href="glossary\.html#term-quantity" title="How many there “are”\.">quantity<\/a>, or two <a class="term" href="glossary\.html#term-sum" title="What adding makes\. If both numbers are equal, it is the double\.">quantities added<\/a>/);
  holds(book.page('index.html'), /of <a class="term" href="glossary\.html#term-sum" title="[^"]*">sums<\/a> for/);
  holds(book.page('glossary.html'), /<p id="term-quantity"><(?:b|strong)>Quantity\./);
});

test('an element of a figure has one class, wherever its style stood', () => {
  const lines = Array.from({ length: 4 }, (_, i) => `<polyline fill="none" points="0 ${i} 9 ${i}" stroke="currentColor"/>`);
  const svg = inlineSvg(`<svg viewBox="0 0 9 9"><title>T</title><desc>D</desc>${lines.join('')}</svg>`, 'p1');
  assert.match(svg, /fill:none;stroke:currentColor/);
  assert.equal(svg.match(/<polyline points="0 \d 9 \d" class="\w+"\/>/g)?.length, 4, svg);
});

test('a tag with an attribute twice is noticed', () => {
  assert.deepEqual(repeatedAttributes('<p id="a" title="b id=c"><use class="d" href="#e" class="f"/></p>'), ['<use class="d" href="#e" class="f"/>']);
});

test('a page with a letter continues its chapter', () => {
  const page = book.page('more_first_things.html');
  holds(page, /<p class="kicker">Chapter 1a<\/p>/);
  holds(book.page('first.html'), /<a rel="next" href="more_first_things\.html"/);
});

test('a bug report has its threads, its case with the command, and its check, each linked', () => {
  const page = book.page('more_first_things.html');
  holds(page, /<tr id="report-a1"><td><span class="number">A1<\/span> Two and two came out as <code>22<\/code> <span class="threads"><a href="https:\/\/github\.com\/someone\/sums\/issues\/4">sums#4<\/a>/);
  holds(page, /<td><a href="first\.html#code-first-print">print<\/a><br><kbd>\.\/mha run 1 --case print<\/kbd><\/td><td><a href="first\.html#code-first-add">add<\/a>/);
  holds(page, /A2<\/span> <strong>No bug\.<\/strong> Two and two came out as four <span class="threads"><a href="https:\/\/example\.org\/sums">example\.org<\/a>/);
  holds(page, /A3<\/span>[\s\S]*?<td><a href="first\.html#code-first-add">add<\/a><br><kbd>\.\/mha run 1 --test -s -tc='the sum of \?two\? and two is four'<\/kbd><\/td><td><a href="first\.html#claim-the-sum/);
});

test('a program\'s other files have full listings too', () => {
  holds(book.page('first.html'), /<a href="listing_second_hpp\.html#l2">second\.hpp, lines 2–3<\/a>/);
  const listing = book.page('listing_second_hpp.html');
  holds(listing, /A part of the program of <a href="first\.html">Chapter 1: First things<\/a>/);
  holds(listing, /id="l1"><i>\/\/ \[half\]<\/i> <a class="shown" href="first\.html#code-second-half">/);
});

test('a claim says how many checks held', () => {
  holds(book.page('first.html'), /<span class="sentence">The sum of “two” and two is four<\/span> <span class="badge">held: 1,204 checks<\/span>/);
});

test('output is the program\'s, with the command that gives it', () => {
  const page = book.page('first.html');
  holds(page, /<kbd>\.\/mha run 1<\/kbd><span class="part">The sum<\/span><\/figcaption><pre><samp>2 \+ 2 = 4\n<\/samp>/);
  holds(page, /<kbd>\.\/mha run 1 --by 3<\/kbd>[\s\S]*?2 \+ 3 = 5/);
  holds(page, /<details class="folded"><summary>How it <code>ends<\/code><\/summary>\s*<figure class="output"><figcaption><kbd>\.\/mha run 1 --by 3<\/kbd><span class="part">The end<\/span>[\s\S]*?<\/figure>\s*<\/details>/);
});

test('a figure is inlined with a title, a description and ids of its own', () => {
  const page = book.page('first.html');
  holds(page, /<svg class="p1" role="img" aria-labelledby="p1-title p1-desc" viewBox="0 0 200 80" width="200" height="80"[^>]*><title id="p1-title">Two bars<\/title><desc id="p1-desc">/);
  holds(page, /clip-path="url\(#p1-cut\)"/);
  holds(page, /fill="var\(--heat\)"/);
  holds(page, /<span class="label">Figure 1\.1<\/span> Two bars, <svg/);
});

test('an exercise shows its text, its command and its file', () => {
  holds(book.page('first.html'), /<h4 class="exercise-title" id="exercise-1-1"><span class="label">Exercise 1\.1<\/span> Three and three<\/h4>[\s\S]*?difficulty 2 of 3[\s\S]*?<p>Then say why\.<\/p>[\s\S]*?<summary>Hint 1<\/summary>\s*<p>Count on your fingers\.[\s\S]*?<kbd>\.\/mha start 1\.1<\/kbd> <span class="file">makes your copy, my\/01_1_three\.cpp<\/span>/);
});

test('a predict exercise has a field, and what is right and what wrong answers tell is coded', () => {
  const page = book.page('first.html');
  holds(page, /<form class="answer" data-answer="[\w+/=]+"><label for="answer-1-1">/);
  const coded = page.match(/data-answer="([^"]+)"/)[1];
  assert.deepEqual(Buffer.from(coded, 'base64').toString().split('\n'), [
    '6 0.5 6 ± 0',
    '4 4 That is 2 + 2.',
    '32.5 33.5 Two numbers written side by side are not added: “3” and “3” make “33”, 3 and 3 make less.',
    '10 Infinity Two hands are enough.',
  ]);
  assert.ok(!page.includes('side by side'), 'nobody reads it by chance');
});

test('an exercise and its solution link to each other, and the contents know which exercises a section has', () => {
  holds(book.page('first.html'), /<a href="solutions\.html#solution-1-1">Solution 1\.1<\/a>/);
  holds(book.page('solutions.html'), /<details class="solution" id="solution-1-1"><summary><span class="label">Solution 1\.1<\/span> Three and three<\/summary>[\s\S]*Two hands have [\s\S]*<a href="first\.html#exercise-1-1">Exercise 1\.1<\/a>/);
  holds(book.page('solutions.html'), /<figcaption>chapters\/01_first\/solutions\/1_three\.cpp, lines 4–10<\/figcaption>[\s\S]*<b>int<\/b> three\(\) \{/);
  holds(book.page('index.html'), /<a href="first\.html#what-it-looks-like" data-of="01_1_three">/);
});

test('a chapter lists its exercises: name, kind, difficulty, and the section each stands at', () => {
  const page = book.page('first.html');
  holds(page, /<section class="exercise" data-exercise="01_1_three"/);
  holds(page, /<h2 id="exercises">Exercises [\s\S]*<ol class="exercise-list"><li data-exercise="01_1_three"><a href="#exercise-1-1">1\.1 Three and three<\/a> <span class="exercise-facts"><span>predict<\/span> [\s\S]*difficulty 2 of 3[\s\S]*<span>at <a href="#finer-points">Finer points<\/a><\/span><\/span><\/li><\/ol>/);
  holds(book.page('index.html'), /<a href="first\.html#exercises" data-of="01_1_three">/);
});

test('a chapter may name an enclosing section, and lists its exercises by number', async () => {
  const other = copyBook();
  edit(other, 'chapters/01_first/exercises/1_three.cpp', 'finer-points', 'what-it-looks-like');
  for (const part of ['exercises', 'solutions', 'checks']) {
    for (const k of [10, 2]) {
      const text = other.read(`chapters/01_first/${part}/1_three.cpp`);
      other.write(`chapters/01_first/${part}/${k}_three.cpp`, text.replaceAll('1.1:', `1.${k}:`));
    }
  }
  edit(other, 'book/01_first.md', '{{exercise 1.1}}', '{{exercise 1.10}}\n\n{{exercise 1.2}}\n\n{{exercise 1.1}}');
  edit(other, 'book/91_solutions.md', '{{solution 1.1}}', '{{solution 1.1}}\n\n{{solution 1.2}}\n\n{{solution 1.10}}');
  assert.deepEqual(await complaints(other), []);
  const [list] = other.page('first.html').match(/<ol class="exercise-list">[\s\S]*?<\/ol>/);
  assert.deepEqual([...list.matchAll(/href="#exercise-1-(\d+)"/g)].map(([, k]) => k), ['1', '2', '10']);
  holds(other.page('index.html'), /#what-it-looks-like" data-of="01_10_three 01_2_three 01_1_three"/);
  other.remove();
});

test('a page may show code that the exercise itself gives', async () => {
  const other = copyBook();
  const given = 'int three() {\n  int sum = 3;\n  for (int i = 0; i < 3; ++i) sum += 1;';
  edit(other, 'book/01_first.md', 'import torch\nprint("a $ sign")', given);
  edit(other, 'chapters/01_first/exercises/1_three.cpp', 'int main() { return 1; }', `${given}\n  return 0;\n}`);
  assert.deepEqual(await complaints(other), []);
  other.remove();
});

test('sections have readable ids, their level, and a place in the contents', () => {
  const page = book.page('first.html');
  holds(page, /<h2 id="the-code">The code /);
  holds(page, /<h3 id="finer-points">Finer points /);
  holds(page, /<li data-depth="developer"><a href="first\.html#the-code">The code<\/a><\/li>/);
});

test('prose in other languages keeps its $ and its colours', () => {
  holds(book.page('first.html'), /<pre class="code plain"><code><b>import<\/b> torch\nprint\(<q>"a \$ sign"<\/q>\)\n/);
});

test('pages follow each other in order', () => {
  holds(book.page('index.html'), /<a rel="next" href="first\.html"/);
  holds(book.page('first.html'), /<a rel="prev" href="index\.html"[\s\S]*<a rel="next" href="more_first_things\.html"/);
});

test('the bibliography lists what was cited, by author, with where to find it', () => {
  holds(book.page('bibliography.html'), /<li id="ref-knuth1984">Donald E\. Knuth \(1984\)\. <span class="title">The TeXbook<\/span>\. <cite>Addison-Wesley<\/cite>\. <a href="https:\/\/www-cs-faculty[^"]*">[\s\S]*<li id="ref-shazeer2019">[\s\S]*<a href="https:\/\/arxiv\.org\/abs\/1911\.02150">arXiv:1911\.02150<\/a>/);
});

test('what HTML can do without is left out, and nothing else', () => {
  const page = '<p class="a b" id="x" title="a > b"><a href="y.html#z">1 &lt; 2 &amp;&amp; a="b" &amp;amp; &amp; c</a><use href="#g"/><img alt=""></p>'
    + '<script>if (a <b && c) d("e", \'<i id="f">\');</script><style>a { b: "c" }</style>';
  const less = compact(page);
  assert.equal(less, '<p class="a b" id=x title="a > b"><a href=y.html#z>1 &lt; 2 && a="b" &amp;amp; & c</a><use href=#g /><img alt=""></p>'
    + '<script>if (a <b && c) d("e", \'<i id="f">\');</script><style>a { b: "c" }</style>');
  assert.equal(withQuotes(less), page);
});

test('indentation is left out between tags, and kept where it is seen', () => {
  assert.equal(compact('<a href="https://a.b/c/">d</a>'), '<a href="https://a.b/c/">d</a>');
  assert.equal(compact('<td>\n    <b>a\n  b</b>\n\n  </td>\n<pre>  <i>x</i>\n    <i>y</i>\n</pre>'),
    '<td>\n<b>a\n  b</b>\n</td>\n<pre>  <i>x</i>\n    <i>y</i>\n</pre>');
});

test('an outline keeps its shape: y turned over, straight pieces joined, lengths of nothing dropped', () => {
  assert.equal(relativePath('M0 0H40V80L80 160L120 240Q120 240 120 240Q140 240 160 240T200 240Q240 240 240 280T280 320Z'),
    'm0 0h10v-20l20-40h20q10 0 10-10t10-10z');
});

test('the same book twice is the same, byte for byte', async () => {
  const other = copyBook();
  assert.deepEqual(await complaints(other), []);
  for (const name of pages()) assert.equal(other.page(name), book.page(name), name);
  other.remove();
});

test('with nothing changed, nothing is made', async () => {
  assert.deepEqual(await book.weave(), { unchanged: true });
});

test('after a change of prose, no program runs again', async () => {
  const other = copyBook();
  const tally = path.join(other.root, 'tally');
  edit(other, 'chapters/01_first/first.sh', 'by=2\n', `echo run >> '${tally}'\nby=2\n`);
  assert.deepEqual(await complaints(other), []);
  const runs = fs.readFileSync(tally, 'utf8');
  edit(other, 'book/01_first.md', 'Now the printing.', 'Now for the printing.');
  assert.equal((await other.weave()).unchanged, false);
  holds(other.page('first.html'), /Now for the printing\./);
  assert.equal(fs.readFileSync(tally, 'utf8'), runs);
  other.remove();
});

test('a changed program runs again, and its new value reaches the page', async () => {
  const other = copyBook();
  assert.deepEqual(await complaints(other), []);
  edit(other, 'chapters/01_first/first.sh', '"number": 4, "text": "4"', '"number": 5, "text": "five"');
  assert.deepEqual(await complaints(other), []);
  holds(other.page('first.html'), /The program says five,/);
  other.remove();
});

test('a book that cannot be made leaves the one before as it was', async () => {
  const other = copyBook();
  assert.deepEqual(await complaints(other), []);
  const kept = other.page('first.html');
  edit(other, 'book/01_first.md', '## The sum', '## The sum {{ch01.none}}');
  assert.notEqual((await complaints(other)).length, 0);
  assert.equal(other.page('first.html'), kept);
  other.remove();
});

test('what an interrupted run left behind does no harm', async () => {
  const other = copyBook();
  assert.deepEqual(await complaints(other), []);
  for (const file of fs.readdirSync(path.join(other.root, 'build/runs'))) {
    fs.writeFileSync(path.join(other.root, 'build/runs', file), '{"stdout": "2 +');
  }
  fs.writeFileSync(path.join(other.root, 'build/formulas.json'), '{"');
  fs.writeFileSync(path.join(other.root, 'build/bibliography.json'), '');
  fs.rmSync(path.join(other.root, 'build/stamp'));
  fs.rmSync(path.join(other.root, 'build/doxygen.stamp'));
  fs.mkdirSync(`${other.out}.new`);
  fs.writeFileSync(path.join(`${other.out}.new`, 'half.html'), '<p>');
  assert.deepEqual(await complaints(other), []);
  assert.equal(other.page('first.html'), book.page('first.html'));
  assert.equal(fs.existsSync(path.join(other.out, 'half.html')), false);
  other.remove();
});

test('from the command line: one line a fault, and status 1', () => {
  const other = copyBook();
  edit(other, 'book/01_first.md', 'says {{ch01.sum}}', 'says {{ch01.total}}');
  const run = (args) => {
    try {
      return { status: 0, out: execFileSync(process.execPath, [WEAVE, ...args], { encoding: 'utf8', stdio: 'pipe' }) };
    } catch (error) {
      return { status: error.status, err: error.stderr };
    }
  };
  const given = ['--programs', other.programs, '--build', path.join(other.root, 'build'), '--out', other.out, '--root', other.root];
  const failed = run(given);
  assert.equal(failed.status, 1);
  assert.equal(failed.err, 'book/01_first.md:7: chapter 1\'s program writes no value "total"; it writes double, sum\n');
  edit(other, 'book/01_first.md', 'says {{ch01.total}}', 'says {{ch01.sum}}');
  assert.match(run(given).out, /^Wove 10 pages\.\n$/);
  assert.match(run(given).out, /^The book is up to date\.\n$/);
  assert.match(run(['--programs']).err, /^weave: --programs is no option with a value; the options are /);
  assert.match(run([]).err, /^weave: --programs is missing/);
  other.remove();
});

test('quotes in prose are curly, quotes in code are not', () => {
  holds(book.page('first.html'), /<p>What is “two and two”, and who’s to say\?<\/p>/);
  holds(book.page('first.html'), /<q>"%d\\n"<\/q>/);
});

test('without a program\'s data the book is made, and says on its pages what is missing', async () => {
  const other = copyBook();
  try {
    const program = 'chapters/01_first/first.sh';
    // As chapter 9 does: values that need no data, claims that fail, and 77.
    edit(other, program, 'case ${what:-demo} in', `[ -e "$0.data" ] || case \${what:-demo} in
values) echo '{"double": {"number": 6, "text": "6"}}' > "$file"; exit 0 ;;
test) : ;;
reports) : ;;
*) echo "first: the data is not here; fetch it" >&2; exit 77 ;;
esac
case \${what:-demo} in`);
    edit(other, program, 'successes="1204" failures="0" test_case_success="true"', 'successes="0" failures="1" test_case_success="false"');
    assert.deepEqual(await complaints(other), []);
    const page = other.page('first.html');
    holds(page, /Not in this copy of the book\.<\/strong> first: the data is not here; fetch it/);
    holds(page, /The program says \(not measured\)/);
    holds(page, /class="badge unchecked">not checked when this page was made: data is missing/);
    assert.doesNotMatch(page, /<figure class="output"|2 \+ 2 = 4\n/);
    // It is there the next time, and nothing of the other run was kept.
    other.write(`${program}.data`, '');
    edit(other, program, 'successes="0" failures="1" test_case_success="false"', 'successes="1204" failures="0" test_case_success="true"');
    assert.deepEqual(await complaints(other), []);
    assert.doesNotMatch(other.page('first.html'), /not fetched|Not in this copy|not measured/);
  } finally {
    other.remove();
  }
});
