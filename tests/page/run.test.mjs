// Running the chapters' programs in the page, as a reader does.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { after, before, test } from 'node:test';
import { outputParts } from '../../src/weave/program_text.mjs';
import { findingsOf } from './axe_findings.mjs';
import { BOOK, openPage, PAGES, readersOf, readPage, startBrowser, urlOf } from './open_book.mjs';
import { readPageProgram } from './page_program.mjs';

const CHAPTER = 'head_split.html';
const outputOf = (program, part) => `figure.output[data-program="${program}"]:has(.part:text-is("${part}"))`;
const OUTPUT = outputOf('head_split', 'Where token 0 looks');
const PICTURE = 'figure.picture[data-program="head_split"][data-figure="maps"]';
const SAID = '.run-said';
const RAN = /^Ran in \d+\.\d s, here in your browser\.$/;

let browser;
before(async () => { browser = await startBrowser(); });
after(() => browser?.close());

const reader = readersOf(() => browser);

/** Opens the controls of a place, which runs it; waits until it has ended. */
async function runHere(page, place) {
  await page.locator(`${place} .run-here`).click();
  await ended(page, place);
}

async function ended(page, place) {
  await page.locator(`${place}:not([aria-busy]) ${SAID}`).filter({ hasNotText: /^(?:Running|Checking).*$/ }).filter({ hasText: /./ }).waitFor({ timeout: 120_000 });
}

const field = (page, place, option) => page.locator(place).getByLabel(new RegExp(`^${option}\\b`));
const press = (page, place, name) => page.locator(place).getByRole('button', { name, exact: true }).click();
const saidAt = (page, place) => page.locator(`${place} ${SAID}`).textContent();

test('each output and figure of every program has its button', () => reader({}, async (context) => {
  let checked = 0;
  for (const name of PAGES.filter((page) => / data-program="/.test(readPage(page)))) {
    const { page, complaints } = await openPage(context, name);
    const counts = await page.evaluate(() => [...document.querySelectorAll('figure[data-program]')]
      .map((figure) => figure.querySelectorAll('.run-here').length));
    assert.ok(counts.every((count) => count === 1), name);
    assert.deepEqual(complaints, []);
    checked += counts.length;
    await page.close();
  }
  assert.ok(checked > 100, String(checked));
}));

test('a run with the book\'s options prints what stands there', () => reader({}, async (context) => {
  const { page, requests, complaints } = await openPage(context, CHAPTER);
  const woven = await page.locator(`${OUTPUT} samp`).textContent();
  await runHere(page, OUTPUT);
  assert.match(await saidAt(page, OUTPUT), RAN);
  assert.equal(await page.locator(`${OUTPUT} samp`).textContent(), woven);
  assert.deepEqual(complaints, []);
  assert.deepEqual(requests.filter((url) => !/^(?:file|blob|data):/.test(url)), []);
}));

test('nothing of a program is loaded before it is asked for', () => reader({}, async (context) => {
  const { page, requests } = await openPage(context, CHAPTER);
  await page.waitForTimeout(300);
  assert.deepEqual(requests.filter((url) => url.includes('/programs/')), []);
  await runHere(page, OUTPUT);
  assert.equal(requests.filter((url) => url.includes('/programs/')).length, 1);
  await runHere(page, PICTURE);
  assert.equal(requests.filter((url) => url.includes('/programs/')).length, 1, 'and then once');
}));

test('other options change the output, the command and the heading, and reset brings all back', () => reader({}, async (context) => {
  const { page } = await openPage(context, CHAPTER);
  const figure = page.locator(OUTPUT);
  const woven = await figure.evaluate((element) => element.outerHTML);
  await runHere(page, OUTPUT);
  await field(page, OUTPUT, '--heads').fill('2');
  await press(page, OUTPUT, 'Run');
  await ended(page, OUTPUT);
  const { stdout } = await readPageProgram('head_split').run(['--heads', '2']);
  assert.equal(await page.locator(`${OUTPUT} samp`).textContent(), `${outputParts(stdout).get('Where token 0 looks').join('\n')}\n`);
  assert.equal(await page.locator(`${OUTPUT} figcaption kbd`).textContent(), './mha run 2 --heads 2');
  await press(page, OUTPUT, 'Reset');
  assert.equal(await figure.evaluate((element) => element.outerHTML), woven);
  assert.equal(await page.evaluate(() => document.activeElement.className), 'run-here', 'the focus is where it was');
}));

test('a heading that names a changed number is found all the same', () => reader({}, async (context) => {
  const place = 'figure.output:has(.part:text-matches("^In tiles of"))';
  const { page } = await openPage(context, 'fused_attention.html');
  await runHere(page, place);
  await field(page, place, '--tile').fill('2');
  await press(page, place, 'Run');
  await ended(page, place);
  assert.equal(await page.locator(`${place} figcaption .part`).textContent(), 'In tiles of 2');
  assert.match(await page.locator(`${place} samp`).textContent(), /^keys .*\n0 to 1 /);
}));

test('a figure is drawn anew in its place, with its text alternative', () => reader({}, async (context) => {
  const { page } = await openPage(context, CHAPTER);
  const maps = () => page.locator(`${PICTURE} svg`).evaluate((svg) => svg.textContent.match(/head \d+/g).filter((name, i, all) => all.indexOf(name) === i).length);
  const before = await maps();
  await runHere(page, PICTURE);
  await field(page, PICTURE, '--heads').fill('2');
  await press(page, PICTURE, 'Run');
  await ended(page, PICTURE);
  assert.equal(before, 4);
  assert.equal(await maps(), 2);
  const names = await page.locator(`${PICTURE} svg`).evaluate((svg) => svg.getAttribute('aria-labelledby').split(' ').map((id) => document.getElementById(id).textContent));
  assert.ok(names.every((name) => name.length > 10), names.join());
  assert.equal(await page.evaluate(() => [...document.querySelectorAll('[id]')].map(({ id }) => id).find((id, i, all) => all.indexOf(id) !== i)), undefined);
}));

test('what the program refuses is said in its own words, and the output stays', () => reader({}, async (context) => {
  const { page } = await openPage(context, CHAPTER);
  await runHere(page, OUTPUT);
  const before = await page.locator(`${OUTPUT} samp`).textContent();
  for (const [heads, says] of [['3', 'head_split: n_heads = 3 does not divide the width 8; choose a divisor of 8'], ['', /^head_split: /], ['1000000', /^head_split: .*128/]]) {
    await field(page, OUTPUT, '--heads').fill(heads);
    await press(page, OUTPUT, 'Run');
    await ended(page, OUTPUT);
    const said = await saidAt(page, OUTPUT);
    if (typeof says === 'string') assert.equal(said, says);
    else assert.match(said, says);
    assert.equal(await page.locator(`${OUTPUT} samp`).textContent(), before);
  }
}));

test('checking the claims runs them all and marks each in the page', () => reader({}, async (context) => {
  const { page } = await openPage(context, CHAPTER);
  await runHere(page, OUTPUT);
  await press(page, OUTPUT, 'Check the claims');
  await ended(page, OUTPUT);
  assert.match(await saidAt(page, OUTPUT), /^All \d+ claims of this program held here, in \d+\.\d s: \d+ checks\.$/);
  const badges = await page.$$eval('details.claim .badge', (found) => found.map((badge) => badge.textContent));
  assert.ok(badges.length > 5);
  for (const badge of badges) assert.match(badge, /^held: [\d,]+ checks?, here in your browser$/);
}));

test('a long run can be stopped, and the next one works', () => reader({}, async (context) => {
  const place = outputOf('reshape_bugs', 'Precision and recall');
  const { page } = await openPage(context, 'diagnosis.html');
  await page.locator(`${place} .run-here`).click();
  await page.locator(place).getByRole('button', { name: 'Stop' }).waitFor();
  await press(page, place, 'Stop');
  await ended(page, place);
  assert.equal(await saidAt(page, place), 'Stopped.');
  await field(page, place, '--study').fill('3');
  await press(page, place, 'Run');
  await ended(page, place);
  assert.match(await saidAt(page, place), RAN);
}));

test('runs of one program wait for each other, and each shows its own', () => reader({}, async (context) => {
  const { page } = await openPage(context, CHAPTER);
  await page.evaluate(() => document.querySelectorAll('.run-here').forEach((button) => button.click()));
  await ended(page, OUTPUT);
  await ended(page, PICTURE);
  assert.match(await saidAt(page, OUTPUT), RAN);
  assert.match(await saidAt(page, PICTURE), RAN);
}));

test('by keyboard alone: the button, a number, Enter', () => reader({}, async (context) => {
  const { page } = await openPage(context, CHAPTER);
  await page.locator(`${OUTPUT} .run-here`).focus();
  await page.keyboard.press('Enter');
  await ended(page, OUTPUT);
  await field(page, OUTPUT, '--heads').focus();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('2');
  await page.keyboard.press('Enter');
  await ended(page, OUTPUT);
  assert.equal(await page.locator(`${OUTPUT} figcaption kbd`).textContent(), './mha run 2 --heads 2');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.closest('figure') !== null), true);
}));

test('the controls are accessible by day and by night, and fit a phone', () => reader({ viewport: { width: 320, height: 640 } }, async (context) => {
  for (const [name, place] of [[CHAPTER, OUTPUT], [CHAPTER, PICTURE], ['wrong_splits.html', outputOf('reshape_bugs', 'Beside the right one') + ' >> nth=0']]) {
    const { page } = await openPage(context, name);
    await page.locator(place).locator('.run-here').click();
    await page.locator(place).locator(SAID).filter({ hasText: RAN }).waitFor({ timeout: 60_000 });
    assert.deepEqual(await findingsOf(page), []);
    await page.emulateMedia({ colorScheme: 'dark' });
    assert.deepEqual(await findingsOf(page, ['color-contrast']), []);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), 'nothing sticks out');
    await page.close();
  }
}));

test('a program that is missing beside the page is said in one line', () => reader({}, async (context) => {
  const copy = fs.mkdtempSync(path.join(os.tmpdir(), 'book-without-'));
  try {
    for (const name of [CHAPTER, 'theme.js', 'theme.css', 'exercises.js', 'live.js']) fs.copyFileSync(path.join(BOOK, name), path.join(copy, name));
    const page = await context.newPage();
    await page.goto(pathToFileURL(path.join(copy, CHAPTER)).href);
    await page.locator(`${OUTPUT} .run-here`).click();
    assert.equal((await page.locator(`${OUTPUT} .run-failed`).textContent()).trim(),
      'programs/head_split.js is missing beside this page, or cannot be read; make the book again');
    assert.ok(await page.locator(`${OUTPUT} .run-here`).isEnabled());
  } finally {
    fs.rmSync(copy, { recursive: true });
  }
}));

test('the trained model says its weight first, shows its progress, and reads a sentence of the reader\'s', () => reader({}, async (context) => {
  const place = outputOf('real_heads', 'Pieces');
  const { page, complaints } = await openPage(context, 'real_heads.html');
  const opener = page.locator(`${place} .run-here`);
  assert.match(await opener.textContent(), /reads 2\d MB/);
  const texts = opener.evaluate((button) => new Promise((done) => {
    const seen = [];
    new MutationObserver(() => seen.push(button.textContent)).observe(button, { childList: true, characterData: true, subtree: true });
    setTimeout(() => done(seen), 8000);
  }));
  await opener.click();
  await ended(page, place);
  assert.ok((await texts).some((text) => /^Reading: [1-9]\d* %$/.test(text)));
  await field(page, place, '--text').fill('The cat sat on the mat.');
  await press(page, place, 'Run');
  await ended(page, place);
  assert.match(await saidAt(page, place), RAN);
  assert.match(await page.locator(`${place} samp`).textContent(), /cat/);
  assert.equal(await page.locator(`${place} figcaption kbd`).textContent(), './mha run 9 --text "The cat sat on the mat."');
  assert.deepEqual(complaints, []);
}));

test('a figure says the value under the pointer, and by the arrow keys', () => reader({}, async (context) => {
  const { page } = await openPage(context, CHAPTER);
  const plate = page.locator(`${PICTURE} .plate`);
  const value = page.locator(`${PICTURE} .figure-value`);
  const cells = await plate.locator('rect:has(> title)').evaluateAll((found) => found.map((cell) => cell.textContent));
  await plate.locator('rect:has(> title)').nth(1).hover();
  await page.waitForFunction(([place, text]) => document.querySelector(`${place} .figure-value`)?.textContent === text, [PICTURE, cells[1]]);
  await plate.focus();
  await page.keyboard.press('ArrowLeft');
  assert.equal(await value.textContent(), cells[0]);
  await page.keyboard.press('ArrowRight');
  assert.equal(await value.textContent(), cells[1]);
  await page.keyboard.press('ArrowDown');
  assert.notEqual(await value.textContent(), cells[1]);
  assert.equal(await plate.locator('.chosen').count(), 1);
  await page.keyboard.press('Escape');
  assert.match(await value.textContent(), /arrow keys/);
  assert.equal(await plate.locator('.chosen').count(), 0);
}));

test('a figure that was drawn anew says its new values', () => reader({}, async (context) => {
  const { page } = await openPage(context, CHAPTER);
  await runHere(page, PICTURE);
  await field(page, PICTURE, '--heads').fill('2');
  await press(page, PICTURE, 'Run');
  await ended(page, PICTURE);
  await page.locator(`${PICTURE} .plate`).focus();
  await page.keyboard.press('ArrowRight');
  const first = await page.locator(`${PICTURE} rect > title`).first().textContent();
  assert.equal(await page.locator(`${PICTURE} .figure-value`).textContent(), first);
}));

test('every figure with values can be reached with the Tab key', () => reader({}, async (context) => {
  for (const name of ['index.html', 'single_head.html', 'checks.html', 'real_heads.html']) {
    const { page } = await openPage(context, name);
    await page.waitForTimeout(200);
    const plates = await page.$$eval('.plate', (found) => found.filter((plate) => plate.querySelector('svg :not(svg) > title')).map((plate) => plate.tabIndex));
    assert.ok(plates.length > 0, name);
    assert.ok(plates.every((index) => index === 0), name);
  }
}));

test('without script there is no button, and the command stands there', () => reader({ javaScriptEnabled: false }, async (context) => {
  const page = await context.newPage();
  await page.goto(urlOf(CHAPTER));
  assert.equal(await page.locator('.run-here').count(), 0);
  assert.equal(await page.locator(`${OUTPUT} figcaption kbd`).textContent(), './mha run 2');
}));
