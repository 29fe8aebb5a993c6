// The CPU device as it runs in a page passes the tests of the CPU device.

import assert from 'node:assert/strict';
import process from 'node:process';
import { before, test } from 'node:test';
import { readProgram } from './page_program.mjs';

let run;
before(() => { run = readProgram(process.env.MHA_DEVICE_IN_PAGE); });

test('every test of the device passes in WebAssembly', async () => {
  const { status, stdout } = await run(['--no-colors']);
  assert.equal(status, 0, stdout);
  const [, cases] = stdout.match(/test cases:\s*(\d+) \|\s*\1 passed/) ?? [];
  assert.ok(cases >= 50, stdout);
});

test('a thread that outgrows its stack ends the program with one line', async () => {
  const { status, stderr } = await run(['--no-skip', '--test-case=outgrow a stack']);
  assert.equal(status, 1);
  assert.match(stderr, /^without_end \(faulty_kernels\.cu:\d+\): a thread needs more stack than the 65536 bytes it has$/);
});
