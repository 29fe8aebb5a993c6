// What axe-core finds on a page of the book.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { openPage } from './open_book.mjs';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

const unfold = (page) => page.evaluate(() =>
  document.querySelectorAll('details').forEach((fold) => { fold.open = true; }));

/** What axe finds on the page as it stands, one line each. */
async function findings(page, rules) {
  const options = { resultTypes: ['violations'], ...(rules ? { runOnly: { type: 'rule', values: rules } } : {}) };
  const { violations } = await page.evaluate((given) => window.axe.run(document, given), options);
  return violations.map(({ id, help, nodes }) =>
    `${id}: ${help}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 120).replace(/\s+/g, ' ')).join(' … ')}`);
}

/** Nothing may be found on a page with everything unfolded, by day and by night. */
export async function assertAccessible(reading, name) {
  const { page } = await openPage(reading, name);
  await unfold(page);
  await page.addScriptTag({ path: AXE });
  assert.deepEqual(await findings(page), [], 'by day');
  await page.emulateMedia({ colorScheme: 'dark' });
  assert.deepEqual(await findings(page, ['color-contrast']), [], 'by night');
  await page.close();
}

/** Nothing may be found on a page as it opens. */
export async function assertAccessibleAtFirst(reading, name) {
  const { page } = await openPage(reading, name);
  await page.addScriptTag({ path: AXE });
  assert.deepEqual(await findings(page), []);
  await page.close();
}
