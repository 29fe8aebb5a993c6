// Accessibility: axe-core must find nothing, by day and by night, on any page.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { openPage, PAGES, PAGES_WITH_DEPTHS, readPage, startBrowser } from './open_book.mjs';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

let browser;
before(async () => { browser = await startBrowser(); });
after(() => browser?.close());

/** What axe finds on the page as it stands, one line each. */
async function findings(page, rules) {
  const options = { resultTypes: ['violations'], ...(rules ? { runOnly: { type: 'rule', values: rules } } : {}) };
  const { violations } = await page.evaluate((given) => window.axe.run(document, given), options);
  return violations.map(({ id, help, nodes }) =>
    `${id}: ${help}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 120).replace(/\s+/g, ' ')).join(' … ')}`);
}

const unfold = (page) => page.evaluate(() =>
  document.querySelectorAll('details').forEach((fold) => { fold.open = true; }));

test('axe finds nothing, by day and by night', async (context) => {
  const reading = await browser.newContext({ colorScheme: 'light', viewport: { width: 1280, height: 900 } });
  for (const name of PAGES) {
    await context.test(name, async () => {
      const { page } = await openPage(reading, name);
      await unfold(page);
      await page.addScriptTag({ path: AXE });
      assert.deepEqual(await findings(page), [], 'by day');
      await page.emulateMedia({ colorScheme: 'dark' });
      assert.deepEqual(await findings(page, ['color-contrast']), [], 'by night');
      await page.close();
    });
  }
  await reading.close();
});

test('axe finds nothing on a phone', async (context) => {
  const reading = await browser.newContext({ viewport: { width: 360, height: 740 } });
  for (const name of new Set(['index.html', ...PAGES_WITH_DEPTHS])) {
    await context.test(name, async () => {
      const { page } = await openPage(reading, name);
      await page.addScriptTag({ path: AXE });
      assert.deepEqual(await findings(page), []);
      await page.close();
    });
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
