// The printed book: printed once here, then read back from the file.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { getDocumentProxy } from 'unpdf';
import { findChromium, print } from '../../src/weave/print/chromium.mjs';
import { printBook } from '../../src/weave/print/print_book.mjs';
import { readFinished } from '../../src/weave/print/whole_book.mjs';
import { treeOf, findAll, hasClass } from '../../src/weave/html_tree.mjs';
import { BOOK, startBrowser } from './open_book.mjs';

const CONTENT_WIDTH = Math.floor((210 - 24 - 20) / 25.4 * 96);   // A4 less the margins, in CSS pixels

let folder;
let pdf;
let texts;      // a page's text each
let outline;    // {depth, title, page} each
before(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'printed-book-'));
  const out = path.join(folder, 'many_heads.pdf');
  await printBook({ book: BOOK, build: path.join(folder, 'print'), out });
  pdf = await getDocumentProxy(new Uint8Array(fs.readFileSync(out)));
  texts = [];
  for (let i = 1; i <= pdf.numPages; i += 1) {
    // eslint-disable-next-line no-await-in-loop
    const { items } = await (await pdf.getPage(i)).getTextContent();
    texts.push(items.map(({ str, hasEOL }) => str + (hasEOL ? '\n' : '')).join(''));
  }
  outline = await flat(await pdf.getOutline(), 0);
});
after(() => fs.rmSync(folder, { recursive: true, force: true }));

async function flat(items, depth) {
  const found = [];
  for (const { title, dest, items: inner } of items) {
    // eslint-disable-next-line no-await-in-loop
    found.push({ depth, title, page: await pdf.getPageIndex(dest[0]) + 1 }, ...await flat(inner, depth + 1));
  }
  return found;
}

const solid = (text) => text.replace(/\s+/g, '');
const plain = (html) => html.replace(/<[^>]*>/g, '').replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&quot;/g, '"').replace(/&amp;/g, '&');

test('every page of the book is in it, in reading order, and in the outline', () => {
  const pages = readFinished(BOOK);
  assert.ok(pages.length > 10);
  const titles = pages.map(({ label, title }) => plain(label ? `${label}: ${title}` : title));
  titles.splice(1, 0, 'Contents');
  assert.deepEqual(outline.filter(({ depth }) => depth === 0).map(({ title }) => title), titles);
});

test('the outline has every section, and leads to the page that has its heading', () => {
  const sections = readFinished(BOOK).reduce((sum, { article }) => sum + [...article.matchAll(/<h2\b/g)].length, 0);
  assert.equal(outline.filter(({ depth }) => depth === 1).length, sections);
  for (const { title, page } of outline) {
    const words = title.replace(/^(?:Chapter|Appendix) \w+: /, '').match(/[A-Za-z]{3,}/g) ?? [];
    for (const word of words) assert.ok(solid(texts[page - 1]).includes(word), `page ${page} has "${word}" of "${title}"`);
  }
});

test('the contents give the page that the outline leads to', () => {
  const first = outline.find(({ title }) => title === 'Contents').page;
  const next = outline.find(({ depth, page }) => depth === 0 && page > first).page;
  const contents = texts.slice(first - 1, next - 1).join('\n');
  for (const { title, page } of outline.filter(({ depth, page: at }) => depth === 0 && at >= next)) {
    const name = solid(title.replace(/^\w+ (\w+): /, '$1')).replace(/[[\]\\^$.*+?()|{}]/g, '\\$&');
    assert.match(solid(contents), new RegExp(`${name}${page}(?!\\d{4})`), `the contents say ${page} for ${title}`);
  }
});

test('pages are numbered, and say which chapter they belong to', () => {
  const starts = outline.filter(({ depth }) => depth === 0);
  texts.forEach((text, i) => {
    if (i === 0) return;
    assert.match(text, new RegExp(`(?:^|\\s)${i + 1}(?:\\s|$)`), `page ${i + 1} has its number`);
    const at = starts.findLast(({ page }) => page <= i + 1);
    if (/^(?:Chapter|Appendix)/.test(at.title)) assert.ok(text.includes(at.title), `page ${i + 1} says ${at.title}`);
  });
});

test('each depth is there, under its name', () => {
  const blocks = readFinished(BOOK).flatMap(({ article }) => [...article.matchAll(/<p class="depth-label">(\w+)<\/p>/g)].map(([, name]) => name));
  const lines = texts.flatMap((text) => text.split('\n').map((line) => line.trim()));
  for (const name of ['Beginner', 'Developer', 'Researcher']) {
    assert.equal(lines.filter((line) => line === name).length, blocks.filter((block) => block === name).length, name);
  }
});

test('no line of code and no output is cut or lost, and claims and solutions are unfolded', () => {
  const whole = solid(texts.map(withoutHead).join('\n'));
  let count = 0;
  for (const { article, file } of readFinished(BOOK)) {
    const inPre = new Set(findAll(treeOf(article), (node) => node.tag === 'pre').flatMap((pre) => textOf(pre).split('\n')));
    for (const line of inPre) {
      const wanted = solid(line);
      if (wanted.length < 12 || /^\d+$/.test(wanted)) continue;
      count += 1;
      assert.ok(whole.includes(wanted), `${file} shows: ${line}`);
    }
  }
  assert.ok(count > 1000, `${count} lines were looked for`);
});

/** A page's text without its running head, its number and those of lines, which stand before it in the file: a line may go on overleaf. */
function withoutHead(text, i) {
  const chapter = outline.findLast(({ depth, page }) => depth === 0 && page <= i + 1);
  return text.replace(chapter.title, '').split('\n').filter((line) => !/^\s*\d+\s*$/.test(line)).join('\n');
}

/** The text of an element, without line numbers. */
function textOf(node) {
  if (typeof node === 'string') return node;
  return hasClass(node, 'n') ? '' : node.children.map(textOf).join('');
}

test('links lead to places in the file or to addresses on the web, never to a file beside it', async () => {
  const dests = await pdf.getDestinations();
  let inside = 0;
  for (let i = 1; i <= pdf.numPages; i += 1) {
    // eslint-disable-next-line no-await-in-loop
    for (const { url, dest, unsafeUrl } of await (await pdf.getPage(i)).getAnnotations()) {
      assert.ok(!/^file:/.test(unsafeUrl ?? url ?? ''), `page ${i} links to ${unsafeUrl ?? url}`);
      if (typeof dest !== 'string') continue;
      inside += 1;
      assert.ok(dests[dest], `page ${i} links to ${dest}, which is nowhere`);
    }
  }
  assert.ok(inside > 300, `${inside} links`);
});

test('nothing is wider than the page', async () => {
  const html = path.join(folder, 'print/whole_book.html');
  const browser = await startBrowser();
  const tab = await browser.newPage({ viewport: { width: CONTENT_WIDTH, height: 1000 } });
  await tab.emulateMedia({ media: 'print' });
  await tab.goto(pathToFileURL(html).href, { timeout: 300_000 });
  const wide = await tab.evaluate((width) => [...document.querySelectorAll('pre, pre code, table, figure, svg[role=img], .formula > svg, .exercise')]
    .filter((box) => box.getBoundingClientRect().right > width + 1 || box.scrollWidth > box.clientWidth + 1 + 20 * (box.tagName === 'FIGURE'))
    .map((box) => `${box.closest('.leaf').className}: ${box.tagName} ${box.textContent.slice(0, 60)}`), CONTENT_WIDTH);
  await browser.close();
  assert.deepEqual(wide, []);
});

test('what cannot be printed is refused in a line that says what to do', async () => {
  const refused = (work) => assert.rejects(work, (error) => {
    assert.equal(error.lines.length, 1);
    assert.match(error.lines[0], /^pdf: .+[;,] .+/);
    return true;
  });
  const nowhere = path.join(folder, 'nowhere');
  const out = path.join(folder, 'refused.pdf');
  const build = path.join(folder, 'refused');
  await refused(printBook({ book: nowhere, build, out }));
  assert.throws(() => findChromium({ CHROMIUM: nowhere }), /pdf: CHROMIUM names .*nowhere, which is no program; name/);
  assert.throws(() => findChromium({ PATH: folder }), /pdf: no Chromium found; install the package chromium/);
  for (const [name, does] of [['fails', 'echo it is broken >&2; exit 3'], ['writes nothing', 'exit 0'], ['writes something else', 'for word; do case $word in --print-to-pdf=*) echo hello >"${word#*=}" ;; esac; done']]) {
    const program = path.join(folder, name);
    fs.writeFileSync(program, `#!/bin/sh\n${does}\n`, { mode: 0o755 });
    // eslint-disable-next-line no-await-in-loop
    await refused(printBook({ book: BOOK, build, out }, program));
  }
  await refused(print(path.join(folder, 'no program'), path.join(folder, 'x.html'), out));
  assert.equal(fs.existsSync(out), false, 'nothing half printed is left');
});

test('a browser that stops working is started anew, and given up in the end', async () => {
  const program = path.join(folder, 'stops');
  const tries = path.join(folder, 'tries');
  const out = path.join(folder, 'stopped.pdf');
  const stops = (times) => fs.writeFileSync(program, '#!/bin/sh\necho >>"' + tries + '"\n'
    + `[ "$(wc -l <"${tries}")" -gt ${times} ] || exec sleep 60\n`
    + 'for word; do case $word in --print-to-pdf=*) echo printed >"${word#*=}" ;; esac; done\n', { mode: 0o755 });
  stops(2);
  await print(program, path.join(folder, 'x.html'), out, 2);
  assert.equal(fs.readFileSync(out, 'utf8'), 'printed\n');
  assert.equal(fs.readFileSync(tries, 'utf8').length, 3);
  fs.rmSync(tries);
  stops(9);
  await assert.rejects(print(program, path.join(folder, 'x.html'), out, 2), /stops stopped working 3 times before the book was printed; try again/);
});
