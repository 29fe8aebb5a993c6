// The finished book in a browser. MHA_BOOK names its folder (default build/book),
// CHROMIUM the browser (default: the system's).

import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { withQuotes } from '../../src/weave/compact.mjs';

const HERE = path.dirname(fileURLToPath(import.meta.url));
export const BOOK = path.resolve(process.env.MHA_BOOK ?? path.join(HERE, '../../build/book'));

const BROWSERS = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

if (!fs.existsSync(path.join(BOOK, 'index.html'))) {
  throw new Error(`no book in ${BOOK}; make it with ./mha book, or name its folder in MHA_BOOK`);
}

/** The names of the finished pages. */
export const PAGES = fs.readdirSync(BOOK).filter((name) => name.endsWith('.html')).sort();

/** The pages that hold a chapter or an appendix: those with a depth to choose. */
export const PAGES_WITH_DEPTHS = PAGES.filter((name) => readPage(name).includes('class="depth '));

/** A page's text as it lies in the book. */
export function readBare(name) {
  return fs.readFileSync(path.join(BOOK, name), 'utf8');
}

/** A page's text with every value in quotes, to be searched. */
export function readPage(name) {
  return withQuotes(readBare(name));
}

/** A page's address. */
export function urlOf(name, rest = '') {
  return pathToFileURL(path.join(BOOK, name)).href + rest;
}

/** Starts the browser. */
export async function startBrowser() {
  const executablePath = BROWSERS.find((candidate) => candidate && fs.existsSync(candidate));
  if (!executablePath) {
    throw new Error('no Chromium found; install the package chromium, or name the program in CHROMIUM');
  }
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

/** Opens one page of the book and notes what it asks for and complains about. */
export async function openPage(context, name, rest = '') {
  const page = await context.newPage();
  const seen = { page, requests: [], complaints: [] };
  page.on('request', (request) => seen.requests.push(request.url()));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) seen.complaints.push(message.text());
  });
  page.on('pageerror', (error) => seen.complaints.push(error.message));
  await page.goto(urlOf(name, rest));
  await page.evaluate(() => document.fonts.ready.then(() => true));
  return seen;
}

/** A function that runs `work` with a fresh context of the browser, so that nothing is remembered. */
export const readersOf = (browser) => async (options, work) => {
  const context = await browser().newContext(options);
  try {
    return await work(context);
  } finally {
    await context.close();
  }
};
