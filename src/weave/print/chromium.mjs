// Chromium, which prints a page to a file.

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { BookError } from '../errors.mjs';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const MINUTES = 15;

/** The browser's program: $CHROMIUM, or the first of its names on PATH. */
export function findChromium(environment = process.env) {
  const named = environment.CHROMIUM;
  if (named) {
    if (isProgram(named)) return named;
    throw new BookError([`pdf: CHROMIUM names ${named}, which is no program; name Chromium's, or leave CHROMIUM out`]);
  }
  const folders = (environment.PATH ?? '').split(path.delimiter).filter(Boolean);
  const found = NAMES.flatMap((name) => folders.map((folder) => path.join(folder, name))).find(isProgram);
  if (found) return found;
  throw new BookError(['pdf: no Chromium found; install the package chromium, or name the program in CHROMIUM']);
}

function isProgram(file) {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

/** Prints an HTML file to `pdf`, with an outline of its headings. */
export async function print(chromium, html, pdf) {
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'many-heads-print-'));
  fs.rmSync(pdf, { force: true });
  try {
    const { status, said } = await run(chromium, [
      '--headless', '--disable-gpu', '--disable-extensions', '--no-first-run', `--user-data-dir=${profile}`,
      // Its sandbox cannot be had by root, nor in many containers; the page is the book's own.
      '--no-sandbox', '--disable-dev-shm-usage',
      '--no-pdf-header-footer', '--generate-pdf-document-outline', `--print-to-pdf=${pdf}`, pathToFileURL(html).href]);
    if (status !== 0 || !fs.existsSync(pdf)) {
      const last = said.trim().split('\n').at(-1).slice(0, 300);
      throw new BookError([`pdf: ${chromium} did not print the book (${status}): ${last || 'it said nothing'}; run it by hand to see why`]);
    }
  } finally {
    fs.rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Runs a program in a process group of its own, and ends all of it when time is up. */
function run(program, words) {
  return new Promise((done) => {
    const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    let said = '';
    const note = (data) => { said = (said + data).slice(-4000); };
    child.stdout.on('data', note);
    child.stderr.on('data', note);
    const stop = () => {
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has ended by itself.
      }
    };
    const timer = setTimeout(() => { note(`\nstopped after ${MINUTES} minutes`); stop(); }, MINUTES * 60_000);
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => { stop(); process.exit(130); });
    child.on('error', (error) => { clearTimeout(timer); done({ status: error.message, said }); });
    child.on('close', (code, signal) => { clearTimeout(timer); done({ status: code ?? signal, said }); });
  });
}
