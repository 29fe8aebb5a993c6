// The chapters' programs as they run in the page give what they give on the
// command line. MHA_PROGRAMS is the folder of the latter.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { unescape } from '../../src/weave/html.mjs';
import { readClaims } from '../../src/weave/program_text.mjs';
import { firstDifference } from '../output/compare_output.mjs';
import { PAGES, readPage } from './open_book.mjs';
import { PAGE_PROGRAMS, readPageProgram } from './page_program.mjs';

const NATIVE = process.env.MHA_PROGRAMS;
assert.ok(NATIVE, 'set MHA_PROGRAMS to the folder build/…/chapters');

// What is measured is another time each time.
const MEASURED = ['--measure'];

/** Every run that a page offers: program -> the different ones, by their arguments. */
function offeredRuns() {
  const offered = new Map(PAGE_PROGRAMS.map((name) => [name, new Map()]));
  for (const page of PAGES) {
    for (const [tag] of readPage(page).matchAll(/<figure[^>]*\bdata-program="[^>]*>/g)) {
      const get = (name) => unescape(tag.match(new RegExp(` data-${name}="([^"]*)"`))?.[1] ?? '');
      const figure = / data-figure=/.test(tag) ? ['--svg', null, ...(get('figure') ? ['--figure', get('figure')] : [])] : [];
      const args = [...JSON.parse(get('options') || '[]'), ...figure];
      if (!args.some((arg) => MEASURED.includes(arg))) offered.get(get('program')).set(JSON.stringify(args), args);
    }
  }
  return offered;
}

function runNative(name, args) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'page-program-'));
  const file = path.join(folder, 'written');
  try {
    const { status, stdout, stderr } = spawnSync(path.join(NATIVE, name), args.map((arg) => arg ?? file),
      { encoding: 'utf8', maxBuffer: 1 << 28 });
    return { status, stdout, stderr: stderr.trim(), written: fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : undefined };
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

/** A number or more that the program's own default is not: other options than the book's. */
function otherNumbers(options) {
  return options.filter(({ kind, name }) => kind === 'number' && ['--tokens', '--seed', '--layers', '--tile'].includes(name))
    .flatMap((option) => [option.name, String(Math.min(option.most, option.default + 1))]);
}

function assertSame(page, native, what) {
  assert.deepEqual([page.status, page.stderr], [native.status, native.stderr], what);
  const difference = firstDifference(native.stdout, page.stdout)
    ?? (native.written === undefined ? null : firstDifference(native.written, page.written));
  assert.equal(difference, null, `${what}: ${JSON.stringify(difference)}`);
}

const CASES_AT_THE_EDGE = 1;   // of ten thousand

/** A study counts cases. The last bits decide one of them, and differ between compilers: it falls to either side. */
function assertSameCounts(page, native, what) {
  const counts = ({ stdout }) => stdout.match(/\d+/g).map(Number);
  const words = ({ stdout }) => stdout.replace(/ *\d+/g, ' N');
  assert.deepEqual([page.status, page.stderr, words(page)], [native.status, native.stderr, words(native)], what);
  const expected = counts(native);
  counts(page).forEach((count, i) => assert.ok(Math.abs(count - expected[i]) <= CASES_AT_THE_EDGE, `${what}: ${count} where ${expected[i]} stands`));
}

const offered = offeredRuns();

test('every chapter has its program beside the pages', () => {
  const chapters = PAGES.flatMap((page) => [...readPage(page).matchAll(/ data-program="(\w+)"/g)].map(([, name]) => name));
  assert.deepEqual(PAGE_PROGRAMS, fs.readdirSync(path.join(NATIVE, '../../../chapters')).filter((name) => /^\d\d_/.test(name))
    .map((name) => name.slice(3)).sort());
  assert.deepEqual([...new Set(chapters)].sort(), PAGE_PROGRAMS);
});

for (const name of PAGE_PROGRAMS) {
  test(`${name} prints and draws in the page what it does on the command line`, async (context) => {
    const program = readPageProgram(name);
    const runs = [...offered.get(name).values(), otherNumbers(program.options)];
    // A tenth of the study, too: of these cases none is at the edge.
    const studies = runs.filter((args) => args.includes('--study'));
    runs.push(...studies.map((args) => args.map((arg) => (arg === '10000' ? '1000' : arg))));
    for (const args of runs) {
      const typed = args.map((arg) => arg ?? 'FILE').join(' ') || 'the demo';
      const compare = studies.includes(args) ? assertSameCounts : assertSame;
      await context.test(typed, async () => compare(await program.run(args), runNative(name, args), `${name} ${typed}`));
    }
  });

  test(`${name} refuses in the page as on the command line`, async () => {
    const program = readPageProgram(name);
    const number = program.options.find(({ kind }) => kind === 'number');
    for (const args of [[number.name, String(number.most + 1)], [number.name, 'twelve'], [number.name], ['--no-such-option'], ['nonsense'],
      ['--svg', null, '--figure', 'none']]) {
      const native = runNative(name, args);
      assert.equal(native.status, 1);
      assertSame(await program.run(args), native, `${name} ${args.join(' ')}`);
    }
  });

  test(`every claim of ${name} holds in the page`, async () => {
    const { status, stdout } = await readPageProgram(name).run(['--test', '-r=xml']);
    const claims = readClaims(stdout);
    assert.deepEqual([...claims].filter(([, { failed }]) => failed).map(([sentence]) => sentence), []);
    assert.equal(status, 0);
    const listed = [...runNative(name, ['--test', '-r=xml', '--list-test-cases']).stdout.matchAll(/<TestCase name="([^"]*)"/g)];
    assert.deepEqual([...claims.keys()].sort(), listed.map(([, sentence]) => unescape(sentence)).sort());
  });
}
