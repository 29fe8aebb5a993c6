// Accessibility of the chapters: axe-core must find nothing, by day and by
// night. Headings and figures of every page.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertAccessible, assertAccessibleAtFirst } from './axe_findings.mjs';
import { PAGES, PAGES_WITH_DEPTHS, readPage, startBrowser } from './open_book.mjs';

let browser;
before(async () => { browser = await startBrowser(); });
after(() => browser?.close());

test('axe finds nothing, by day and by night', async (context) => {
  const reading = await browser.newContext({ colorScheme: 'light', viewport: { width: 1280, height: 900 } });
  const tab = await reading.newPage();
  for (const name of PAGES_WITH_DEPTHS) {
    await context.test(name, () => assertAccessible(tab, name));
  }
  await reading.close();
});

test('axe finds nothing on a phone', async (context) => {
  const reading = await browser.newContext({ viewport: { width: 360, height: 740 } });
  const tab = await reading.newPage();
  for (const name of new Set(['index.html', ...PAGES_WITH_DEPTHS])) {
    await context.test(name, () => assertAccessibleAtFirst(tab, name));
  }
  await reading.close();
});

test('headings begin with one h1 and leave no level out', () => {
  for (const name of PAGES) {
    const levels = [...readPage(name).matchAll(/<h([1-6])\b/g)].map((match) => Number(match[1]));
    assert.equal(levels.filter((level) => level === 1).length, 1, `${name} has one h1`);
    levels.forEach((level, i) => {
      assert.ok(i === 0 ? level === 1 : level <= levels[i - 1] + 1, `${name}: h${level} follows h${levels[i - 1]}`);
    });
  }
});

test('every figure has a title and a description of its own', () => {
  for (const name of PAGES) {
    for (const [svg, title, desc] of readPage(name).matchAll(/<svg[^>]*role="img"[^>]*aria-labelledby="(\S+) (\S+)"[\s\S]*?<\/svg>/g)) {
      assert.match(svg, new RegExp(`<title id="${title}">[^<]+</title>`), name);
      assert.match(svg, new RegExp(`<desc id="${desc}">[^<]+</desc>`), name);
    }
  }
});
