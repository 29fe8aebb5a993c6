// A chapter's program from the outside: what it writes, and how it refuses.
// MHA_PROGRAM names it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';

const executable = process.env.MHA_PROGRAM;
assert.ok(executable, 'set MHA_PROGRAM to a program in build/…/chapters/');
const name = basename(executable);
const run = (...options) => spawnSync(executable, options, { encoding: 'utf8' });

let folder;
before(() => { folder = mkdtempSync(join(tmpdir(), 'chapter_program_')); });
after(() => rmSync(folder, { recursive: true }));

test('prints its demo, with every heading underlined', () => {
  const { status, stdout, stderr } = run();
  assert.equal(status, 0);
  assert.equal(stderr, '');
  const lines = stdout.split('\n');
  const underlines = lines.flatMap((line, i) => (/^-+$/.test(line) ? [i] : []));
  assert.ok(underlines.length > 0);
  for (const i of underlines) {
    assert.equal(lines[i].length, lines[i - 1].length, `below "${lines[i - 1]}"`);
  }
});

test('prints the same every time', () => {
  assert.equal(run().stdout, run().stdout);
});

test('writes its values as JSON, with numbers and texts', () => {
  const file = join(folder, `${name}.json`);
  const { status, stdout } = run('--values', file);
  assert.deepEqual([status, stdout], [0, '']);
  const values = Object.entries(JSON.parse(readFileSync(file, 'utf8')));
  assert.ok(values.length > 0);
  for (const [key, { number, text }] of values) {
    assert.ok(Number.isFinite(number), key);
    assert.match(text, /\d/, key);
  }
});

// Whether all of them hold is another test's business.
test('checks its claims and reports them as XML', () => {
  const { status, stdout } = run('--test', '-r=xml', '--last=2');
  assert.equal(status, 0);
  assert.match(stdout, /<OverallResultsAsserts successes="[1-9]\d*" failures="0"/);
});

test('answers --help on standard output', () => {
  const { status, stdout, stderr } = run('--help');
  assert.deepEqual([status, stderr], [0, '']);
  for (const option of ['--values', '--svg', '--figure', '--test']) {
    assert.ok(stdout.includes(option), option);
  }
});

const number = numberOption(run('--help').stdout);
const refused = {
  'an unknown option': ['--no-such-option'],
  'an argument without an option': ['nonsense'],
  'a number that is none': [number.name, 'twelve'],
  'a number with something behind it': [number.name, '12x'],
  'a fraction': [number.name, '2.5'],
  'an empty number': [number.name, ''],
  'a number too small': [number.name, String(number.least - 1)],
  'a negative number': [number.name, '-1'],
  'a number too large': [number.name, String(number.most + 1)],
  'a number past 64 bits': [number.name, '99999999999999999999'],
  'an option without its number': [number.name],
  'a figure it does not have': ['--svg', '/dev/null', '--figure', 'none'],
  'a figure without a file': ['--figure', 'maps'],
  'a file in a folder that is not there': ['--values', '/no/such/folder/x.json'],
  'a figure in a folder that is not there': ['--svg', '/no/such/folder/x.svg'],
  'a folder in place of a file': ['--values', tmpdir()],
  'a file on a full disk': ['--svg', '/dev/full'],
  'a line break in an option': ['--bad\noption'],
};
for (const [what, options] of Object.entries(refused)) {
  test(`refuses ${what} with one line`, () => {
    const { status, stdout, stderr } = run(...options);
    assert.equal(status, 1, stderr);
    assert.equal(stdout, '');
    assertOneLine(stderr, name);
  });
}

test('says so in one line when its output cannot be written', () => {
  const full = openSync('/dev/full', 'w');
  const { status, stderr } = spawnSync(executable, [],
    { encoding: 'utf8', stdio: ['ignore', full, 'pipe'] });
  assert.equal(status, 1);
  assertOneLine(stderr, name);
});

test('leaves no file behind when it refuses', () => {
  const file = join(folder, 'refused.svg');
  run('--svg', file, '--figure', 'none');
  assert.equal(existsSync(file), false);
});

const refusedHere = {
  head_split: [[['--heads', '3'],
    'n_heads = 3 does not divide the width 8; choose a divisor of 8']],
  gqa_cache: [
    [['--kv-heads', '3'], 'n_kv_heads = 3 does not divide n_heads = 8; choose a divisor'],
    [['--case', 'nothing'], 'there is no cache nothing; --cases lists them']],
  cuda_port: [
    [['--kv-heads', '3'], 'kv_heads = 3 does not divide heads = 4; choose a divisor'],
    [['--case', 'nothing'], 'there is no kernel nothing; --cases lists them'],
    [['--kernel', 'nothing'], 'there is no kernel nothing; there are three kernels, tiles, fused, register tiles, grouped, bfloat16, split keys'],
    [['--tokens', '2000'], 'tokens = 2000, but the CPU device takes at most 1025; add --gpu']],
  fused_attention: [[['--run', 'mine.json'],
    '--run is for numbers and figures; add --values FILE or --svg FILE']],
};
for (const [options, message] of refusedHere[name] ?? []) {
  test(`refuses ${options.join(' ')} and says what to do`, () => {
    const { status, stdout, stderr } = run(...options);
    assert.deepEqual([status, stdout, stderr], [1, '', `${name}: ${message}\n`]);
  });
}

// "--tokens INT:INT in [1 - 64] [3]", the first there is
function numberOption(help) {
  const [, name, least, most] = help.match(/(--[\w-]+) INT:INT in \[(\d+) - (\d+)\]/);
  return { name, least: Number(least), most: Number(most) };
}

function assertOneLine(text, name) {
  assert.match(text, /^[^\n]+\n$/, 'one line on standard error');
  assert.ok(text.startsWith(`${name}: `), text);
}
