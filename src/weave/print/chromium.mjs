// Chromium, which prints a page to a file.

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { BookError } from '../errors.mjs';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const MINUTES = 15;
const TRIES = 3;
const SIGNALS = ['SIGINT', 'SIGTERM'];
const IDLE_SECONDS = 60;    // without work for so long it waits for something that never comes

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

/**
 * Prints an HTML file to `pdf`, with an outline of its headings. On a busy
 * machine Chromium now and then stops for good in the middle of a long file; it
 * is then ended and started anew.
 */
export async function print(chromium, html, pdf, idleSeconds = IDLE_SECONDS) {
  for (let left = TRIES; left > 0; left -= 1) {
    // eslint-disable-next-line no-await-in-loop
    if (await printOnce(chromium, html, pdf, idleSeconds)) return;
    if (left > 1) console.log('Chromium has stopped working; starting it anew');
  }
  throw new BookError([`pdf: ${chromium} stopped working ${TRIES} times before the book was printed; try again when the machine is less busy`]);
}

/** Whether it was printed; false when the browser did no more work. */
async function printOnce(chromium, html, pdf, idleSeconds) {
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'many-heads-print-'));
  fs.rmSync(pdf, { force: true });
  try {
    const { status, said, idle } = await run(chromium, [
      '--headless', '--disable-gpu', '--disable-extensions', '--no-first-run', `--user-data-dir=${profile}`,
      // Its sandbox cannot be had by root, nor in many containers; the page is the book's own.
      '--no-sandbox', '--disable-dev-shm-usage',
      '--no-pdf-header-footer', '--generate-pdf-document-outline', `--print-to-pdf=${pdf}`, pathToFileURL(html).href], idleSeconds);
    if (idle) return false;
    if (status !== 0 || !fs.existsSync(pdf)) {
      const last = said.trim().split('\n').at(-1).slice(0, 300);
      throw new BookError([`pdf: ${chromium} did not print the book (${status}): ${last || 'it said nothing'}; run it by hand to see why`]);
    }
    return true;
  } finally {
    fs.rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Runs a program in a process group of its own, and ends all of it when time is up or it does nothing more. */
function run(program, words, idleSeconds) {
  return new Promise((done) => {
    const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    let said = '';
    let idle = false;
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
    const watch = watchWork(child.pid, idleSeconds, () => { idle = true; stop(); });
    const end = (status) => {
      clearTimeout(timer);
      clearInterval(watch);
      for (const signal of SIGNALS) process.removeListener(signal, interrupted);
      done({ status, said, idle });
    };
    const interrupted = () => { stop(); process.exit(130); };
    for (const signal of SIGNALS) process.once(signal, interrupted);
    child.on('error', (error) => end(error.message));
    child.on('close', (code, signal) => end(code ?? signal));
  });
}

/** Calls `stopped` when a process group has used no processor for a while. Only Linux can tell. */
function watchWork(group, seconds, stopped) {
  let before = workOf(group);
  let since = Date.now();
  return setInterval(() => {
    const now = workOf(group);
    if (now === null || now - before >= 5) {   // five hundredths of a second: not only a clock that ticks
      before = now;
      since = Date.now();
    } else if (Date.now() - since >= seconds * 1000) {
      stopped();
    }
  }, Math.min(5000, seconds * 250));
}

/** The processor time that a process group has used, in hundredths of a second. */
function workOf(group) {
  try {
    return fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name)).reduce((sum, pid) => {
      const fields = statOf(pid);
      return Number(fields[2]) === group ? sum + Number(fields[11]) + Number(fields[12]) : sum;
    }, 0);
  } catch {
    return null;
  }
}

/** The fields of /proc/PID/stat behind the program's name: state, parent, group, …; none when the process has ended. */
function statOf(pid) {
  try {
    return fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ');
  } catch {
    return [];
  }
}
