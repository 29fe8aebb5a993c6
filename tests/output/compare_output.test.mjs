// The comparison with recorded output: what it forgives, and what it must not.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { firstDifference, sameNumber } from './compare_output.mjs';

const script = fileURLToPath(new URL('compare_output.mjs', import.meta.url));

describe('a number', () => {
  const same = [
    ['0.394', '0.394'], ['0.394', '0.395'], ['0.394', '0.393'],
    ['-1.50', '-1.51'], ['100.0', '100.1'], ['0.000', '-0.000'],
    ['1.25e+03', '1.26e+03'], ['2.50e-02', '2.51e-02'],
    ['2.98e-08', '5.96e-08'], ['2.98e-08', '0.00e+00'], ['nan', 'nan'],
  ];
  for (const [expected, actual] of same) {
    test(`${actual} passes for ${expected}`, () => {
      assert.equal(sameNumber(expected, actual), true);
    });
  }
  const different = [
    ['0.394', '0.396'], ['0.394', '-0.394'], ['288', '289'], ['1e3', '1e4'],
    ['2.98e-08', '5.97e-08'], ['2.98e-08', '1.00e+00'], ['1.25e+03', '1.27e+03'],
    ['0.394', 'nan'], ['nan', '0.394'], ['0.394', 'inf'], ['inf', '-inf'],
    ['2.98e-08', 'nan'], ['0.00e+00', '1.00e-03'],
  ];
  for (const [expected, actual] of different) {
    test(`${actual} does not pass for ${expected}`, () => {
      assert.equal(sameNumber(expected, actual), false);
    });
  }
});

describe('an output', () => {
  test('equal to the recorded one has no difference', () => {
    assert.equal(firstDifference('a 0.5\nb 2\n', 'a 0.5\nb 2\n'), null);
  });

  test('with a last digit off has no difference', () => {
    assert.equal(firstDifference('a 0.50 -1.0\n', 'a 0.51 -1.1\n'), null);
  });

  const pairs = {
    'with another word': ['a 0.5\n', 'b 0.5\n'],
    'with other spaces': ['a 0.5\n', 'a  0.5\n'],
    'with a line too many': ['a\n', 'a\nb\n'],
    'with a line missing': ['a\nb\n', 'a\n'],
    'without its last line break': ['a\n', 'a'],
    'with nothing in it': ['a\n', ''],
    'with a number too many': ['a 0.5\n', 'a 0.5 0.5\n'],
    'with a number missing': ['a 0.5 0.5\n', 'a 0.5\n'],
    'with another whole number': ['token 0\n', 'token 1\n'],
    'with NaN for a number': ['a 0.5\n', 'a nan\n'],
    'with its columns exchanged': ['0.1 0.9\n', '0.9 0.1\n'],
  };
  for (const [name, [expected, actual]] of Object.entries(pairs)) {
    test(`${name} differs`, () => {
      assert.notEqual(firstDifference(expected, actual), null);
    });
  }

  test('names the line that differs, with both texts', () => {
    assert.deepEqual(firstDifference('a\nb 0.5\nc\n', 'a\nb 0.7\nc\n'),
      { line: 2, expected: 'b 0.5', actual: 'b 0.7' });
  });
});

describe('the command', () => {
  let folder;
  before(() => { folder = mkdtempSync(join(tmpdir(), 'compare_output_')); });
  after(() => rmSync(folder, { recursive: true }));

  function compare(expected, code) {
    const recorded = join(folder, 'expected.txt');
    writeFileSync(recorded, expected);
    const run = spawnSync(process.execPath,
      [script, recorded, process.execPath, '-e', code], { encoding: 'utf8' });
    return { status: run.status, stderr: run.stderr };
  }

  test('succeeds on equal output', () => {
    assert.deepEqual(compare('x 0.50\n', 'console.log("x 0.51")'),
      { status: 0, stderr: '' });
  });

  test('fails on another output and says how to record it', () => {
    const { status, stderr } = compare('x 0.50\n', 'console.log("x 0.60")');
    assert.equal(status, 1);
    assert.match(stderr, /expected\.txt:1: expected "x 0\.50", but the program printed "x 0\.60"\. .*record it/);
  });

  test('fails when the program fails, even with the right output', () => {
    const { status, stderr } = compare('x\n', 'console.log("x"); process.exitCode = 3');
    assert.equal(status, 1);
    assert.match(stderr, /exit status 3/);
  });

  test('fails when the program dies of a signal', () => {
    assert.equal(compare('', 'process.kill(process.pid, "SIGKILL")').status, 1);
  });

  test('fails when the program or the recorded output is missing', () => {
    for (const [recorded, program] of [[script, join(folder, 'none')],
      [join(folder, 'none.txt'), process.execPath]]) {
      const run = spawnSync(process.execPath, [script, recorded, program, '--version']);
      assert.notEqual(run.status, 0);
    }
  });
});
