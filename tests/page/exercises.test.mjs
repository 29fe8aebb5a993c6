// The exercises in the page: answering, marking, and what is remembered.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { openPage, PAGES, readersOf, readPage, startBrowser, urlOf } from './open_book.mjs';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

const WITH_ANSWERS = PAGES.filter((name) => readPage(name).includes('<form class="answer"'));
// A chapter whose answer is no whole number.
const CHAPTER = WITH_ANSWERS.find((name) => coded(readPage(name))[1] > 0);
const [RIGHT, TOLERANCE] = coded(readPage(CHAPTER));
const PREDICT = '.exercise:has(form)';
const OTHER = '.exercise:not(:has(form))';
const LIST = '.exercise-list li';
const COUNT = `.contents a[href="${CHAPTER}#exercises"] .solved`;

let browser;
before(async () => { browser = await startBrowser(); });
after(() => browser?.close());

/** The right number and the tolerance of a page's first predict exercise. */
function coded(html) {
  const [number, tolerance] = atob(html.match(/data-answer="([^"]+)"/)[1]).split(' ').map(Number);
  return [number, tolerance];
}

const REPOSITORY = new URL('../../', import.meta.url);
const PLAIN = /^(?:from |to )?(-?[\d.]+)(?: within [\d.]+)?$/;
const ELSEWHERE = '0.0625';   // near no number of a line but "other"

/** The lines "wrong: NUMBER | TEXT" of a predict exercise's check: [number, text]. */
function wrongAnswers(key) {
  const [, chapter, file] = key.match(/^(\d\d)_(.*)$/);
  const folder = fs.readdirSync(new URL('chapters', REPOSITORY)).find((name) => name.startsWith(chapter));
  const check = fs.readFileSync(new URL(`chapters/${folder}/checks/${file}.cpp`, REPOSITORY), 'utf8');
  return check.split(/^(?!\/\/)/m)[0].replace(/\n\/\/ {3}/g, ' ').split('\n')
    .map((line) => line.match(/^\/\/ wrong: (.*?) \| (.*)$/)).filter(Boolean)
    .map(([, numbers, text]) => [numbers.match(PLAIN)?.[1] ?? (numbers === 'other' ? ELSEWHERE : undefined), text])
    .filter(([number]) => number !== undefined);
}

const reader = readersOf(() => browser);

async function answer(page, text) {
  await page.fill('.answer input', text);
  await page.click('.answer button');
  return said(page);
}

const said = (page) => page.textContent('.answer [role=status]');
const markOf = (page, exercise) => page.locator(exercise).first().locator('.exercise-facts .solved').textContent();

test('a right answer is called right, with the program\'s value, and marked', () => reader({}, async (context) => {
  const { page, complaints } = await openPage(context, CHAPTER);
  assert.equal(await markOf(page, PREDICT), '');
  assert.match(await answer(page, String(RIGHT)), /^Right: the program computes \S+\.$/);
  assert.equal(await markOf(page, PREDICT), '✓ solved');
  assert.match(await page.textContent(COUNT), /^ ✓ 1 of \d+$/);
  assert.deepEqual(complaints, []);
}));

test('an answer may be off by as much as the exercise says, and no more', () => reader({}, async (context) => {
  const { page } = await openPage(context, CHAPTER);
  for (const off of [-0.9, 0.9]) assert.match(await answer(page, String(RIGHT + off * TOLERANCE)), /^Right/);
  for (const off of [-1.1, 1.1]) assert.match(await answer(page, String(RIGHT + off * TOLERANCE)), /^Not what/);
  const whole = WITH_ANSWERS.find((name) => coded(readPage(name))[1] === 0);
  const other = await openPage(context, whole);
  const [number] = coded(readPage(whole));
  assert.match(await answer(other.page, String(number)), /^Right/);
  for (const wrong of [number + 0.5, number + 1, number - 1, -number]) {
    assert.match(await answer(other.page, String(wrong)), /^Not what/);
  }
}));

test('every way to write the number is understood', () => reader({}, async (context) => {
  const { page } = await openPage(context, CHAPTER);
  const text = String(RIGHT);
  for (const written of [text.replace('.', ','), text.replace(/^(-?)0\./, '$1.'), ` ${text} `, RIGHT < 0 ? text.replace('-', '−') : `+${text}`, `${2 * RIGHT}/2`, `${RIGHT * 100}e-2`]) {
    assert.match(await answer(page, written), /^Right/, written);
  }
}));

test('a wrong answer is called wrong and marks nothing', () => reader({}, async (context) => {
  const { page } = await openPage(context, CHAPTER);
  assert.match(await answer(page, '-5'), /^Not what the program computes\. \S/);
  assert.equal(await page.getAttribute('.answer input', 'aria-invalid'), 'true');
  assert.equal(await markOf(page, PREDICT), '');
  assert.equal(await page.evaluate(() => localStorage.length), 0);
}));

test('a known wrong answer gets the likely misunderstanding, the same that the check has', async (context) => {
  assert.ok(WITH_ANSWERS.length > 0);
  for (const name of WITH_ANSWERS) {
    await context.test(name, () => reader({}, async (fresh) => {
      const { page } = await openPage(fresh, name);
      const known = wrongAnswers(await page.getAttribute(PREDICT, 'data-exercise'));
      assert.ok(known.length >= 3, 'its check has some');
      for (const [number, text] of known) {
        assert.equal(await answer(page, number), `Not what the program computes. ${text}`, number);
      }
    }));
  }
});

test('what is no number gets a friendly word', () => reader({}, async (context) => {
  const { page } = await openPage(context, CHAPTER);
  for (const text of ['', '  ', 'a third', '1/0', '1/2/3', '1.2.3', '0x10', 'NaN', 'Infinity', '--1', '<b>1']) {
    assert.equal(await answer(page, text), 'Write a number, such as 0.25 or 12.', `"${text}"`);
  }
}));

test('the whole book\'s answers are right by the numbers its pages hold', async (context) => {
  for (const name of WITH_ANSWERS) {
    await context.test(name, () => reader({}, async (fresh) => {
      const { page } = await openPage(fresh, name);
      assert.match(await answer(page, String(coded(readPage(name))[0])), /^Right/);
    }));
  }
});

test('the number does not lie bare in the page', () => {
  const form = readPage(CHAPTER).match(/<form class="answer"[\s\S]*?<\/form>/)[0];
  assert.ok(!form.includes(String(RIGHT).slice(0, 6)));
});

test('by keyboard alone: to the field, an answer, Enter; to the button, Space', () => reader({}, async (context) => {
  const { page } = await openPage(context, CHAPTER);
  await page.locator(`${PREDICT} .exercise-title`).first().evaluate((title) => {
    title.tabIndex = -1;
    title.focus();
    title.removeAttribute('tabindex');
  });
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.closest('.answer') !== null && document.activeElement.tagName), 'INPUT');
  await page.keyboard.type('-5');
  await page.keyboard.press('Enter');
  assert.match(await said(page), /^Not what/);
  assert.equal(await page.evaluate(() => document.activeElement.tagName), 'INPUT', 'the focus stays');
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type(String(RIGHT));
  await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  assert.match(await said(page), /^Right/);
  await page.locator(`${OTHER} button`).first().focus();
  await page.keyboard.press('Space');
  assert.equal(await markOf(page, OTHER), '✓ solved');
}));

test('a screen reader hears the label, the verdict and the state of the button', () => reader({}, async (context) => {
  const { page } = await openPage(context, CHAPTER);
  const field = page.getByRole('textbox', { name: /^Or answer \d+\.\d+ here$/ });
  assert.equal(await field.count(), 1);
  await field.fill(String(RIGHT));
  await page.getByRole('button', { name: 'Check' }).click();
  const verdict = page.locator(`#${await field.getAttribute('aria-describedby')}`);
  assert.equal(await verdict.getAttribute('role'), 'status');
  assert.match(await verdict.textContent(), /^Right/);
  const button = page.getByRole('button', { name: 'Mark as solved', pressed: false }).first();
  await button.click();
  assert.equal(await page.getByRole('button', { name: 'Mark as solved', pressed: true }).count(), 1);
}));

test('what is solved is remembered, here and on other pages', () => reader({}, async (context) => {
  const { page } = await openPage(context, CHAPTER);
  await answer(page, String(RIGHT));
  await page.locator(`${OTHER} button`).first().click();
  await page.reload();
  assert.match(await said(page), /^Right/);
  assert.equal(await page.inputValue('.answer input'), String(RIGHT));
  assert.equal(await markOf(page, PREDICT), '✓ solved');
  assert.equal(await markOf(page, OTHER), '✓ solved');
  assert.match(await page.textContent(COUNT), /^ ✓ 2 of \d+$/);
  const other = await openPage(context, 'index.html');
  assert.match(await other.page.textContent(COUNT), /^ ✓ 2 of \d+$/);
  await page.locator(`${OTHER} button`).first().click();
  assert.equal(await markOf(page, OTHER), '');
  await other.page.waitForFunction((count) => /^ ✓ 1 of/.test(document.querySelector(count).textContent), COUNT);
}));

test('the chapter\'s list and the contents mark the same exercise, at its section too', () => reader({}, async (context) => {
  const { page } = await openPage(context, CHAPTER);
  const marked = () => page.$$eval(LIST, (items) => items
    .filter((item) => item.querySelector('.solved').textContent === '✓ solved').map((item) => item.dataset.exercise));
  assert.deepEqual(await marked(), []);
  await page.locator(`${OTHER} button`).first().click();
  const exercise = await page.locator(OTHER).first().getAttribute('data-exercise');
  assert.deepEqual(await marked(), [exercise]);
  const counts = await page.$$eval('.contents [data-of]', (links, name) => links
    .filter((link) => link.dataset.of.split(' ').includes(name)).map((link) => link.querySelector('.solved').textContent), exercise);
  assert.equal(counts.length, 2, 'its section and the section Exercises');
  for (const count of counts) assert.match(count, /^ ✓ 1 of \d+$/);
}));

test('each exercise in the list leads to the exercise, and to the section it stands in', () => reader({}, async (context) => {
  for (const name of PAGES.filter((page) => readPage(page).includes('class="exercise-list"'))) {
    const { page } = await openPage(context, name);
    const wrong = await page.$$eval(LIST, (items) => items.filter((item) => {
      const [exercise, section] = [...item.querySelectorAll('a')].map((link) => document.querySelector(link.hash));
      const box = exercise.closest('.exercise');
      const peers = [...document.querySelectorAll(`article ${section.localName}`)].filter((heading) => !heading.closest('.exercise'));
      const above = peers.filter((heading) => heading.compareDocumentPosition(box) & Node.DOCUMENT_POSITION_FOLLOWING);
      return box.dataset.exercise !== item.dataset.exercise || above.at(-1) !== section;
    }).map((item) => item.textContent));
    assert.deepEqual(wrong, [], name);
    assert.equal(await page.locator(LIST).count(), await page.locator('.exercise').count());
    await page.close();
  }
}));

test('a mark belongs to an exercise, not to its number', () => reader({}, async (context) => {
  const { page } = await openPage(context, CHAPTER);
  const [chapter, k] = (await page.locator(OTHER).first().getAttribute('data-exercise')).split('_');
  const kept = { [`${Number(chapter)}.${k}`]: true, [`${chapter}_${k}_what_had_this_number_before`]: true };
  await page.evaluate((text) => localStorage.setItem('many-heads-exercises', text), JSON.stringify(kept));
  await page.reload();
  assert.equal(await markOf(page, OTHER), '');
  assert.equal(await page.textContent(COUNT), '');
}));

test('a wrong answer later does not take the mark away', () => reader({}, async (context) => {
  const { page } = await openPage(context, CHAPTER);
  await answer(page, String(RIGHT));
  await answer(page, '-5');
  assert.equal(await markOf(page, PREDICT), '✓ solved');
}));

test('an answer that is no longer right, or a record that is broken, counts for nothing', () => reader({}, async (context) => {
  const { page, complaints } = await openPage(context, CHAPTER);
  const exercise = await page.getAttribute(PREDICT, 'data-exercise');
  const keep = (text) => page.evaluate((kept) => localStorage.setItem('many-heads-exercises', kept), text);
  await keep(JSON.stringify({ [exercise]: '-5' }));
  await page.reload();
  assert.equal(await markOf(page, PREDICT), '');
  assert.equal(await page.inputValue('.answer input'), '');
  for (const broken of ['{"1.1', '7', 'null', '[]', '"x"']) {
    await keep(broken);
    await page.reload();
    assert.equal(await markOf(page, PREDICT), '', broken);
    assert.match(await answer(page, String(RIGHT)), /^Right/);
    assert.equal(await markOf(page, PREDICT), '✓ solved', broken);
  }
  assert.deepEqual(complaints, []);
}));

test('where nothing may be kept, the page still answers', () => reader({}, async (context) => {
  await context.addInitScript(() => Object.defineProperty(window, 'localStorage', { get() { throw new Error('forbidden'); } }));
  const { page, complaints } = await openPage(context, CHAPTER);
  assert.match(await answer(page, String(RIGHT)), /^Right/);
  await page.locator(`${OTHER} button`).first().click();
  assert.equal(await markOf(page, PREDICT), '✓ solved');
  assert.equal(await markOf(page, OTHER), '✓ solved');
  assert.deepEqual(complaints, []);
}));

test('without script there is no field and no button, but the command', () => reader({ javaScriptEnabled: false }, async (context) => {
  const page = await context.newPage();
  await page.goto(urlOf(CHAPTER));
  assert.equal(await page.locator('.answer').first().isVisible(), false);
  assert.equal(await page.locator('.exercise button').first().isVisible(), false);
  assert.ok(await page.locator('.exercise-start kbd').first().isVisible());
  assert.ok(await page.locator('.exercise-end a').first().isVisible());
}));

test('nothing moves when an exercise is solved, or when the page remembers that', () => reader({}, async (context) => {
  const { page } = await openPage(context, CHAPTER);
  const heights = () => page.evaluate(() =>
    [...document.querySelectorAll('.exercise, .exercise-list li, .contents li')].map((box) => box.getBoundingClientRect().height));
  const untouched = await heights();
  await answer(page, 'a third');
  assert.deepEqual(await heights(), untouched);
  await answer(page, String(RIGHT));
  await page.locator(`${OTHER} button`).first().click();
  assert.deepEqual(await heights(), untouched);
}));

test('the link to a solution opens that one, and the solution leads back', () => reader({}, async (context) => {
  const { page } = await openPage(context, CHAPTER);
  await page.locator('.exercise-end a').first().click();
  await page.waitForSelector('details.solution[open]');
  assert.equal(await page.locator('details.solution[open]').count(), 1);
  await page.locator('details.solution[open] .exercise-end a').click();
  assert.match(page.url(), new RegExp(`${CHAPTER}#exercise-`));
}));

test('axe finds nothing after a wrong, a right and no answer, by day, by night and on a phone', () => reader({ viewport: { width: 380, height: 800 } }, async (context) => {
  const { page } = await openPage(context, CHAPTER);
  await page.addScriptTag({ path: AXE });
  for (const text of ['-5', 'many', String(RIGHT)]) {
    await answer(page, text);
    await page.locator(`${OTHER} button`).first().click();
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      const { violations } = await page.evaluate(() => window.axe.run({ include: [['.exercise'], ['.exercise-list']] }, { resultTypes: ['violations'] }));
      assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`), [], `${text}, ${colorScheme}`);
    }
  }
}));
