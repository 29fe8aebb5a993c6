// The search: by keyboard and by touch, heard and seen, from a folder.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import zlib from 'node:zlib';
import { BOOK, openPage, PAGES, PAGES_WITH_DEPTHS, readersOf, readPage, startBrowser, urlOf } from './open_book.mjs';

const LARGEST_INDEX = 300_000;   // bytes, compressed
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const CHAPTER = PAGES_WITH_DEPTHS.find((name) => /<p class="kicker">Chapter 2</.test(readPage(name)));
const FIELD = '.search-box input';
const OPTION = '.search-box [role=option]';
const STATUS = '.search-box [role=status]';

let browser;
before(async () => { browser = await startBrowser(); });
after(() => browser?.close());

const reader = readersOf(() => browser);

const ready = (page) => page.waitForFunction((status) =>
  /^(?!Reading)\s*\S/.test(document.querySelector(status)?.textContent ?? ''), STATUS);

/** A page with the search open, asked this. */
async function searching(context, text, name = CHAPTER, rest = '') {
  const opened = await openPage(context, name, rest);
  await opened.page.keyboard.press('/');
  await ready(opened.page);
  await opened.page.fill(FIELD, text);
  return opened;
}

const titles = (page) => page.$$eval(`${OPTION} .search-title`, (found) => found.map((title) => title.textContent));
const chosen = (page) => page.$$eval(OPTION, (found) => found.findIndex((option) => option.getAttribute('aria-selected') === 'true'));

test('nothing of the search is read before it is asked for, and then nothing from elsewhere', () => reader({}, async (context) => {
  const { page, requests, complaints } = await openPage(context, CHAPTER);
  const ofSearch = () => requests.map((url) => path.basename(new URL(url).pathname)).filter((file) => file.startsWith('search'));
  assert.deepEqual(ofSearch(), []);
  await page.click('button.search');
  await ready(page);
  assert.deepEqual(ofSearch(), ['search.js', 'search_index.js']);
  assert.deepEqual(requests.filter((url) => !url.startsWith(urlOf(''))), []);
  assert.deepEqual(complaints, []);
}));

test('the index stays under 300 KB compressed', () => {
  const bytes = zlib.gzipSync(fs.readFileSync(path.join(BOOK, 'search_index.js')), { level: 9 }).length;
  assert.ok(bytes <= LARGEST_INDEX, `it has ${bytes} bytes`);
  assert.ok(bytes > 50_000, 'it holds the book');
});

test('/ opens it, but not while one types an answer', () => reader({}, async (context) => {
  const { page } = await openPage(context, CHAPTER);
  await page.locator('.answer input').first().focus();
  await page.keyboard.type('1/2');
  assert.equal(await page.locator('.answer input').first().inputValue(), '1/2');
  assert.equal(await page.locator('.search-box').count(), 0);
  await page.locator('h1').click();
  await page.keyboard.press('/');
  await ready(page);
  assert.equal(await page.inputValue(FIELD), '', 'the key itself is not typed');
  assert.ok(await page.locator(FIELD).evaluate((input) => input === document.activeElement));
}));

test('a chapter, a function, an exercise, a claim and a term are found by their names', () => reader({}, async (context) => {
  const { page } = await searching(context, 'head split');
  const first = async (text) => {
    await page.fill(FIELD, text);
    return [(await titles(page))[0], await page.locator(OPTION).first().getAttribute('href')];
  };
  assert.deepEqual(await first('head split'), ['Head split', CHAPTER]);
  assert.match((await first('masked_softmax')).join(' '), /^masked_softmax\(\) attention\.hpp\.html#a[0-9a-f]{7}$/);
  assert.match((await first('exercise 2.1')).join(' '), /^Exercise 2\.1 .* head_split\.html#exercise-2-1$/);
  assert.match((await first('each head sees all of x'))[1], /#claim-each-head-sees-all-of-x$/);
  assert.deepEqual(await first('grouped query attention'), ['Grouped-query attention', 'glossary.html#term-grouped-query-attention']);
}));

test('a part of a name, the beginning of a word and a slip find it too', () => reader({}, async (context) => {
  const { page } = await searching(context, '');
  for (const [text, wanted] of [['difference', 'max_abs_difference()'], ['cache', 'KvCache()'], ['softm', 'Softmax'], ['sofmtax', 'Softmax']]) {
    await page.fill(FIELD, text);
    assert.ok((await titles(page)).includes(wanted), `${text} finds ${wanted} among ${(await titles(page)).join(', ')}`);
  }
}));

test('an answer says where it is and at which depth, and marks the words in their context', () => reader({}, async (context) => {
  const { page } = await searching(context, 'softmax overflow');
  const all = await page.$$eval(OPTION, (found) => found.map((option) => ({
    where: option.querySelector('.search-where').textContent, marks: [...option.querySelectorAll('mark')].map((mark) => mark.textContent),
  })));
  assert.ok(all.length > 2);
  for (const { where, marks } of all) {
    assert.match(where, /^(?:Chapter \d+[a-z]?|Appendix [A-Z]|Reference|Full listing|Library source)/);
    assert.ok(marks.length > 0, `${where} has a word marked`);
  }
  assert.ok(all.some(({ where }) => /(?:Beginner|Developer|Researcher)$/.test(where)));
  assert.ok(all.some(({ marks }) => marks.some((mark) => /softmax/i.test(mark)) && marks.some((mark) => /overflow/i.test(mark))));
}));

test('arrows choose and go round, Enter goes there, Escape closes and gives the focus back', () => reader({}, async (context) => {
  const { page } = await openPage(context, CHAPTER);
  await page.focus('button.search');
  await page.keyboard.press('Enter');
  await ready(page);
  await page.keyboard.type('mask');
  const count = await page.locator(OPTION).count();
  assert.ok(count > 3);
  assert.equal(await chosen(page), 0);
  for (const [key, now] of [['ArrowDown', 1], ['ArrowDown', 2], ['ArrowUp', 1], ['ArrowUp', 0], ['ArrowUp', count - 1], ['ArrowDown', 0], ['ArrowDown', 1]]) {
    await page.keyboard.press(key);
    assert.equal(await chosen(page), now, key);
    assert.equal(await page.getAttribute(FIELD, 'aria-activedescendant'), await page.locator(OPTION).nth(now).getAttribute('id'));
    assert.ok(await page.locator(FIELD).evaluate((input) => input === document.activeElement), 'the focus stays in the field');
  }
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('.search-box').evaluate((box) => box.open), false);
  assert.ok(await page.locator('button.search').evaluate((button) => button === document.activeElement));
  await page.keyboard.press('/');
  const href = await page.locator(OPTION).nth(await chosen(page)).getAttribute('href');
  await Promise.all([page.waitForURL(`**/${href}`), page.keyboard.press('Enter')]);
}));

test('what was asked is there again on the next page', () => reader({}, async (context) => {
  const { page } = await searching(context, 'causal');
  await page.goto(urlOf('glossary.html'));
  await page.keyboard.press('/');
  await ready(page);
  assert.equal(await page.inputValue(FIELD), 'causal');
  assert.ok((await titles(page)).length > 3);
  await page.keyboard.type('x');
  assert.equal(await page.inputValue(FIELD), 'x', 'and typing replaces it');
}));

test('an answer at a depth that is hidden shows it, and the reader\'s own depth stays chosen for other pages', () => reader({}, async (context) => {
  const { page } = await searching(context, 'column block of a large', CHAPTER, '?depth=beginner');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => location.hash.endsWith('-developer'));
  // The page learns of its new address a moment later.
  await page.locator('.depth.developer').first().waitFor();
  assert.equal(await page.locator('.search-box').evaluate((box) => box.open), false, 'on the same page the box goes away');
  await page.waitForFunction(() => /^Depth: developer/.test(document.querySelector('body > [role=status]').textContent));
  assert.equal(await page.evaluate(() => localStorage.getItem('depth')), 'beginner');
}));

test('the same answer chosen twice still leads there', () => reader({}, async (context) => {
  const { page } = await searching(context, 'splitting without a copy');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => location.hash);
  await page.evaluate(() => window.scrollTo(0, 0));
  await page.keyboard.press('/');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => window.scrollY > 200);
}));

test('how many answers there are is said, also when there is none', () => reader({}, async (context) => {
  const { page } = await searching(context, 'zebrafish');
  assert.equal(await page.textContent(STATUS), 'Nothing in the book answers “zebrafish”.');
  assert.equal(await page.getAttribute(FIELD, 'aria-expanded'), 'false');
  assert.equal(await page.getAttribute(FIELD, 'aria-activedescendant'), null);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.fill(FIELD, 'zebrafish softmax');
  assert.match(await page.textContent(STATUS), /^\d+ places; not all of them have every word\./);
  await page.fill(FIELD, 'attention');
  assert.match(await page.textContent(STATUS), /^\d{3} places\. The first 30 are shown\.$/);
  assert.equal(await page.locator(OPTION).count(), 30);
  assert.equal(await page.getAttribute(FIELD, 'aria-expanded'), 'true');
}));

test('what is typed is never taken for HTML', () => reader({}, async (context) => {
  const { page, complaints } = await searching(context, '<img src=x onerror=alert(1)> <b>mask');
  assert.equal(await page.locator('.search-box img, .search-box b').count(), 0);
  await page.fill(FIELD, 'x'.repeat(5000));
  await page.fill(FIELD, '\\ . * [ ( "');
  assert.deepEqual(complaints, []);
}));

test('axe finds nothing in it, by day, by night and on a phone, and it fits', async (context) => {
  for (const [viewport, colorScheme] of [[{ width: 1280, height: 900 }, 'light'], [{ width: 320, height: 560 }, 'dark']]) {
    await context.test(`${viewport.width} px, ${colorScheme}`, () => reader({ viewport, colorScheme }, async (fresh) => {
      const { page } = await searching(fresh, 'softmax');
      await page.addScriptTag({ path: AXE });
      const { violations } = await page.evaluate(() => window.axe.run({ include: [['.search-box']] }, { resultTypes: ['violations'] }));
      assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 200)}`), []);
      const box = await page.locator('.search-box').boundingBox();
      assert.ok(box.x >= 0 && box.x + box.width <= viewport.width && box.y + box.height <= viewport.height, JSON.stringify(box));
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= viewport.width);
    }));
  }
});

test('a touch on an answer goes there, a touch beside the box or on Close closes it', () => reader({ viewport: { width: 700, height: 800 } }, async (context) => {
  const { page } = await searching(context, 'rotary');
  await page.mouse.click(5, 795);
  assert.equal(await page.locator('.search-box').isVisible(), false);
  await page.click('button.search');
  await page.getByRole('button', { name: 'Close' }).click();
  assert.equal(await page.locator('.search-box').isVisible(), false);
  await page.click('button.search');
  const href = await page.locator(OPTION).first().getAttribute('href');
  await Promise.all([page.waitForURL(`**/${href}`), page.locator(OPTION).first().click()]);
}));

test('where a file of the search is missing, the page says so', () => reader({}, async (context) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'part-of-the-book-'));
  const take = (...names) => names.forEach((name) => fs.copyFileSync(path.join(BOOK, name), path.join(folder, name)));
  const page = await context.newPage();
  const search = async () => {
    await page.goto(pathToFileURL(path.join(folder, CHAPTER)).href);
    await page.click('button.search');
  };
  take(CHAPTER, 'theme.js', 'theme.css');
  await search();
  await page.waitForFunction(() => document.querySelector('button.search').textContent === 'No search.js here');
  take('search.js');
  await search();
  await page.waitForFunction((status) => /^search_index\.js is missing.*\.\/mha book/.test(document.querySelector(status)?.textContent), STATUS);
  fs.rmSync(folder, { recursive: true });
}));

test('without script there is no button that does nothing', () => reader({ javaScriptEnabled: false }, async (context) => {
  const page = await context.newPage();
  await page.goto(urlOf(CHAPTER));
  assert.equal(await page.locator('button.search').isVisible(), false);
}));

test('where nothing may be kept, the search still answers', () => reader({}, async (context) => {
  await context.addInitScript(() => {
    for (const store of ['localStorage', 'sessionStorage']) Object.defineProperty(window, store, { get() { throw new Error('forbidden'); } });
  });
  const { page, complaints } = await searching(context, 'mask');
  assert.ok((await titles(page)).length > 3);
  assert.deepEqual(complaints, []);
}));

test('every answer leads to a place that is there', async () => {
  await reader({}, async (context) => {
    const { page } = await searching(context, 'the');
    const places = await page.evaluate(() => new Promise((given) => {
      window.manyHeadsSearch = { read: given };
      const script = document.createElement('script');
      script.src = 'search_index.js';
      document.head.append(script);
    }));
    const ids = new Map(PAGES.map((name) => [name, new Set([...readPage(name).matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id))]));
    const lost = places.places.filter(([at, anchor]) => !ids.has(places.pages[at].html) || (anchor && !ids.get(places.pages[at].html).has(anchor)));
    assert.ok(places.places.length > 500);
    assert.deepEqual(lost.map(([at, anchor]) => `${places.pages[at].html}#${anchor}`), []);
  });
});
