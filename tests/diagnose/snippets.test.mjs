// The Python that the page on the diagnosis shows, run as it stands, and what
// the diagnosis says of the files that it writes.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';

const program = process.env.MHA_DIAGNOSE;
assert.ok(program, 'MHA_DIAGNOSE names the program');
const page = new URL('../../book/05g_diagnosis.md', import.meta.url);
const snippets = [...fs.readFileSync(page, 'utf8').matchAll(/^```python\n([\s\S]*?)^```$/gm)]
  .map(([, code]) => code);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'mha snippets '));
after(() => fs.rmSync(folder, { recursive: true, force: true }));

// What each was written to show. Debian's Python, which has its packages.
const named = [['suspect.npz', 'no-scale', []],
  ['layer.npz', 'sequence-first', ['--axes', 'btd']], ['numpy.npz', 'raw-merge', []]];

test('the page has as many snippets as are expected here', () => {
  assert.equal(snippets.length, named.length);
});

named.forEach(([file, bug, options], place) => {
  test(`the snippet that writes ${file} shows ${bug}`, () => {
    assert.ok(snippets[place].includes(`"${file}"`));
    const written = spawnSync('/usr/bin/python3', ['-'],
      { cwd: folder, input: snippets[place], encoding: 'utf8' });
    assert.equal(written.status, 0, written.stderr);
    const { status, stdout, stderr } = spawnSync(program, [file, ...options], { cwd: folder, encoding: 'utf8' });
    assert.equal(stderr, '');
    assert.equal(status, 2, stdout);
    assert.ok(stdout.startsWith(`${file}: ${bug}\n`) || stdout.startsWith(`${file}: either ${bug}\n`), stdout);
  });
});
