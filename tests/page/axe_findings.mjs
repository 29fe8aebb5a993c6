// What axe-core finds on a page of the book.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { urlOf } from './open_book.mjs';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

const unfold = (page) => page.evaluate(() =>
  document.querySelectorAll('details').forEach((fold) => { fold.open = true; }));

/** What axe finds on the page as it stands, or on the elements that a selector names, one line each. */
async function findings(page, rules, selector) {
  const options = { resultTypes: ['violations'], ...(Array.isArray(rules) ? { runOnly: { type: 'rule', values: rules } } : { rules }) };
  const { violations } = await page.evaluate(([given, only]) => window.axe.run(only ?? document, given), [options, selector]);
  return violations.map(({ id, help, nodes }) =>
    `${id}: ${help}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 120).replace(/\s+/g, ' ')).join(' … ')}`);
}

/** What axe finds on a page that is open. */
export async function findingsOf(tab, rules) {
  if (!await tab.evaluate(() => 'axe' in window)) await tab.addScriptTag({ path: AXE });
  return findings(tab, rules);
}

/** Goes to a page of the book; going on in one tab is faster than a new one. */
async function open(tab, name) {
  await tab.emulateMedia({ colorScheme: 'light' });
  await tab.goto(urlOf(name));
  await tab.evaluate(() => document.fonts.ready.then(() => true));
}

/** Nothing may be found on a page with everything unfolded, by day and by night. */
export async function assertAccessible(tab, name) {
  await open(tab, name);
  await unfold(tab);
  await tab.addScriptTag({ path: AXE });
  assert.deepEqual(await findings(tab), [], 'by day');
  await tab.emulateMedia({ colorScheme: 'dark' });
  assert.deepEqual(await findings(tab, ['color-contrast']), [], 'by night');
}

/**
 * The same for a page of code: its thousands of words have a few colours, so the
 * contrast, which takes axe longest, is looked at for one word of each kind.
 */
export async function assertCodeAccessible(tab, name) {
  await open(tab, name);
  await unfold(tab);
  await tab.addScriptTag({ path: AXE });
  assert.deepEqual(await findings(tab, { 'color-contrast': { enabled: false } }), []);
  const sample = await markOneOfEachKind(tab);
  for (const colorScheme of ['light', 'dark']) {
    await tab.emulateMedia({ colorScheme });
    assert.deepEqual(await findings(tab, ['color-contrast'], sample), [], colorScheme);
  }
}

/** Marks, of all elements with words of their own that stand in alike ones, the first; gives their selector. */
function markOneOfEachKind(tab) {
  return tab.evaluate(() => {
    const kindOf = (element) => (element ? `${kindOf(element.parentElement)}>${element.tagName}.${element.className}` : '');
    const seen = new Set();
    for (const element of document.querySelectorAll('body *')) {
      const words = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
      const kind = kindOf(element);
      if (!words || seen.has(kind)) continue;
      seen.add(kind);
      element.dataset.sample = '';
    }
    return '[data-sample]';
  });
}

/** Nothing may be found on a page as it opens. */
export async function assertAccessibleAtFirst(tab, name) {
  await open(tab, name);
  await tab.addScriptTag({ path: AXE });
  assert.deepEqual(await findings(tab), []);
}
