// The real thing: a copy of the tree in a path with spaces, never built before.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { repository, runMha, write } from './reader_sandbox.mjs';

let top;
let tree;
let mha;

before(() => {
  top = fs.mkdtempSync(path.join(os.tmpdir(), 'mha first run '));
  tree = path.join(top, 'many heads');
  const left = new Set(['.git', 'build', 'node_modules', 'my']);
  fs.cpSync(repository, tree, {
    recursive: true,
    filter: (file) => !left.has(path.basename(file)),
  });
  fs.mkdirSync(path.join(top, 'else where'));
  fs.symlinkSync(path.join(tree, 'mha'), path.join(top, 'heads'));
  // Whatever is missing, this test installs nothing.
  for (const tool of ['apt-get', 'sudo', 'npm'])
    write(path.join(top, 'tools', tool), '#!/bin/sh\nexit 1\n', 0o755);
  const env = { ...process.env, PATH: `${path.join(top, 'tools')}:${process.env.PATH}` };
  mha = (...words) =>
    runMha('../heads', words, { cwd: path.join(top, 'else where'), env });
});

after(() => fs.rmSync(top, { recursive: true, force: true }));

const chapters = fs.readdirSync(path.join(repository, 'chapters'))
  .filter((name) => /^\d\d_/.test(name));
const folder = chapters[0];
const name = folder.slice(3);

test('an exercise is started in a fresh tree, where no chapter has been built', () => {
  const { status, out, err } = mha('start', '1.1');
  assert.equal(status, 0, err);
  assert.match(out, /^1\.1 {2}/);
  assert.equal(fs.readdirSync(path.join(tree, 'my')).filter((file) => file.startsWith('01_1_')).length, 1);
  assert.ok(!fs.existsSync(path.join(tree, 'build/release')), 'nothing else is built');
});

test('the first chapter runs in a fresh tree and prints what is recorded', () => {
  const { status, out, err } = mha('run', folder.slice(0, 2));
  assert.equal(status, 0, err);
  const expected = fs.readFileSync(
    path.join(repository, 'chapters', folder, 'expected.txt'), 'utf8');
  assert.equal(out.split('\n')[0], expected.split('\n')[0]);
});

test('the second time the program starts at once and nothing is said', () => {
  const { status, err } = mha('run', name);
  assert.equal(status, 0);
  assert.equal(err, '');
});

test("run CHAPTER --help is the program's own help", () => {
  const { status, out } = mha('run', name, '--help');
  assert.equal(status, 0);
  assert.match(out, /--values/);
});

test('a file named to the program is written where the reader is', () => {
  const { status, err } = mha('run', name, '--values', 'values.json');
  assert.equal(status, 0, err);
  JSON.parse(fs.readFileSync(path.join(top, 'else where', 'values.json'), 'utf8'));
});

for (const words of [['--no-such'], ['--values'], ['--values', '/no/such/folder/x'], ['extra']]) {
  test(`the program answers '${words.join(' ')}' with one line`, () => {
    const { status, err } = mha('run', name, ...words);
    assert.notEqual(status, 0);
    assert.match(err, new RegExp(`^${name}: .+\\n$`));
  });
}
