// The button that copies a piece of code.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, before, test } from 'node:test';
import { openPage, readersOf, startBrowser, urlOf } from './open_book.mjs';

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const CHAPTER = 'head_split.html';
const LISTING = 'listing_head_split.html';
const PLAIN = 'diagnosis.html';   // has code without a caption
const MAY_READ = { permissions: ['clipboard-read', 'clipboard-write'] };

let browser;
before(async () => { browser = await startBrowser(); });
after(() => browser?.close());

const reader = readersOf(() => browser);
const clipboard = (page) => page.evaluate(() => navigator.clipboard.readText());
const opacity = (button) => button.evaluate((element) => getComputedStyle(element).opacity);

/** The first piece of code that shows, and its button. */
function firstCode(page, selector = '.listing pre.code') {
  const pre = page.locator(`${selector}:visible`).first();
  return { pre, button: pre.locator('xpath=ancestor::*[self::figure or contains(@class, "code-box")][1]').locator('.copy') };
}

test('it shows where one points, or to the keyboard, and says that it copied', () => reader(MAY_READ, async (context) => {
  const { page } = await openPage(context, CHAPTER, '?depth=developer');
  const { pre, button } = firstCode(page);
  assert.equal(await opacity(button), '0');
  await button.focus();
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Tab');
  assert.equal(await opacity(button), '1', 'to the keyboard');
  await button.evaluate((element) => element.blur());
  await pre.hover({ position: { x: 9, y: 9 } });
  assert.equal(await opacity(button), '1', 'where one points');
  const said = page.locator('body > [role=status]');
  assert.equal(await said.textContent(), '');
  await button.click();
  await page.waitForFunction(() => document.querySelector('body > [role=status]').textContent === 'Copied');
  assert.equal(await button.textContent(), 'Copied');
  await page.waitForFunction((element) => element.textContent === 'Copy', await button.elementHandle());
}));

test('what it copies is the code: no numbers, no marks, no notes', () => reader(MAY_READ, async (context) => {
  const { page } = await openPage(context, CHAPTER, '?depth=developer');
  const { pre, button } = firstCode(page);
  const numbers = (await pre.locator('.n').textContent()).split('\n').map(Number);
  const file = await pre.evaluate((element) => element.parentElement.querySelector('figcaption a').textContent.replace(/,.*/, ''));
  const lines = fs.readFileSync(path.join(ROOT, 'src/mha', file), 'utf8').split('\n').slice(numbers[0] - 1, numbers.at(-1));
  await pre.hover({ position: { x: 9, y: 9 } });
  await button.click();
  assert.equal(await clipboard(page), `${lines.join('\n')}\n`);

  await page.goto(urlOf(LISTING));
  const whole = firstCode(page, 'pre.full');
  assert.ok(await whole.pre.locator('.shown').count() > 3);
  await whole.pre.hover({ position: { x: 9, y: 9 } });
  await whole.button.click();
  assert.equal(await clipboard(page), fs.readFileSync(path.join(ROOT, 'chapters/02_head_split/head_split.cpp'), 'utf8'));
}));

test('without a clipboard for pages the selection is copied', () => reader(MAY_READ, async (context) => {
  const { page } = await openPage(context, CHAPTER, '?depth=developer');
  const { pre, button } = firstCode(page);
  await page.evaluate(() => { navigator.clipboard.writeText = () => Promise.reject(new Error('not here')); });
  await pre.hover({ position: { x: 9, y: 9 } });
  await button.click();
  const code = await pre.locator('code').textContent();
  assert.equal((await clipboard(page)).trim(), code.trim());
}));

test('on a phone a tap on the code shows it, and no tap meets one that does not show', () => reader({ ...MAY_READ, viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }, async (context) => {
  const { page } = await openPage(context, CHAPTER, '?depth=developer');
  const { pre, button } = firstCode(page);
  await pre.scrollIntoViewIfNeeded();
  const box = await button.boundingBox();
  const tap = () => page.touchscreen.tap(box.x + box.width / 2, box.y + box.height / 2);
  await tap();
  assert.equal(await button.textContent(), 'Copy');
  // A press that began elsewhere, and whose click the button got.
  await button.dispatchEvent('click', { detail: 1 });
  await page.waitForTimeout(200);
  assert.equal(await button.textContent(), 'Copy');
  await pre.tap({ position: { x: 60, y: 12 } });
  assert.equal(await opacity(button), '1');
  await tap();
  await page.waitForFunction((element) => element.textContent === 'Copied', await button.elementHandle());
}));

test('it covers no code and moves nothing, on a wide screen and on a phone', async () => {
  for (const viewport of [{ width: 1280, height: 900 }, { width: 390, height: 844 }]) {
    await reader({ viewport }, async (context) => {
      for (const name of [CHAPTER, PLAIN, LISTING]) {
        const { page } = await openPage(context, name);
        await page.evaluate(() => document.querySelectorAll('details').forEach((fold) => { fold.open = true; }));
        const covered = await page.$$eval('.copy', (buttons) => buttons.filter((button) => {
          const code = button.closest('.listing, .code-box').querySelector('pre').getBoundingClientRect();
          const box = button.getBoundingClientRect();
          return box.bottom > code.top + 1 || box.right > code.right + 1;
        }).length);
        assert.equal(covered, 0, `${name} at ${viewport.width} px`);
        const height = () => page.evaluate(() => document.querySelector('article').getBoundingClientRect().height);
        const withButtons = await height();
        await page.addStyleTag({ content: '.copy { display: none; }' });
        assert.equal(await height(), withButtons, `${name} at ${viewport.width} px`);
        await page.close();
      }
    });
  }
});

test('on paper and without script there is none', async () => {
  await reader({}, async (context) => {
    const { page } = await openPage(context, CHAPTER);
    assert.ok(await page.locator('.copy').count() > 20);
    await page.emulateMedia({ media: 'print' });
    assert.equal(await page.locator('.copy:visible').count(), 0);
  });
  await reader({ javaScriptEnabled: false }, async (context) => {
    const page = await context.newPage();
    await page.goto(urlOf(CHAPTER));
    assert.equal(await page.locator('.copy').count(), 0);
  });
});
