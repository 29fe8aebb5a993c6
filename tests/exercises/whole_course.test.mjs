// The real thing: in a copy of the tree, every exercise is started; one of each
// kind and one of each chapter fails by the check that it names, and is solved
// with its solution. That all the others do is tested without the command, by
// add_exercises.cmake, under the sanitizers with the same checks of indices and
// sizes. The last tests are a reader's own mistakes, with the real compiler.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { repository, runMha, write } from '../command_line/reader_sandbox.mjs';

let top;
let tree;
let mha;

before(() => {
  top = fs.mkdtempSync(path.join(os.tmpdir(), 'mha whole course '));
  tree = path.join(top, 'many heads');
  const left = new Set(['.git', 'build', 'node_modules', 'my']);
  fs.cpSync(repository, tree, {
    recursive: true,
    filter: (file) => !left.has(path.basename(file)),
  });
  // Whatever is missing, this test installs nothing.
  for (const tool of ['apt-get', 'sudo', 'npm'])
    write(path.join(top, 'tools', tool), '#!/bin/sh\nexit 1\n', 0o755);
  const env = { ...process.env, PATH: `${path.join(top, 'tools')}:${process.env.PATH}` };
  mha = (...words) => runMha('./mha', words, { cwd: tree, env });
});

after(() => fs.rmSync(top, { recursive: true, force: true }));

const parts = (number) => {
  const [chapter, place] = number.split('.').map(Number);
  const folder = fs.readdirSync(path.join(tree, 'chapters'))
    .find((name) => name.startsWith(`${String(chapter).padStart(2, '0')}_`));
  const file = fs.readdirSync(path.join(tree, 'chapters', folder, 'exercises'))
    .find((name) => parseInt(name, 10) === place);
  return {
    shipped: path.join(tree, 'chapters', folder, 'exercises', file),
    solution: path.join(tree, 'chapters', folder, 'solutions', file),
    mine: path.join(tree, 'my', `${folder.slice(0, 2)}_${file}`),
  };
};

// The first of each kind, and of each chapter the first that none of these is.
// A predict exercise needs its chapter's program, so that only one is wanted.
function samples(numbers) {
  const chosen = new Map();
  const take = (fits) => numbers.forEach((number) => {
    const kind = fs.readFileSync(parts(number).shipped, 'utf8').match(/^\/\/ kind: (.*)$/m)[1];
    if (fits(number.split('.')[0], kind)) chosen.set(number, { chapter: number.split('.')[0], kind });
  });
  const has = (fact, value) => [...chosen.values()].some((one) => one[fact] === value);
  take((chapter, kind) => !has('kind', kind));
  take((chapter, kind) => kind !== 'predict' && !has('chapter', chapter));
  return [...chosen.keys()];
}

test('every exercise is started; samples fail by their named check, and their solutions pass', () => {
  const numbers = mha('list').out.match(/^ {4}\d+\.\d+/gm).map((text) => text.trim());
  assert.ok(numbers.length >= 10);
  // All are started first: CMake then has to look only once.
  for (const number of numbers) {
    const { status, out, err } = mha('start', number);
    assert.equal(status, 0, err);
    assert.ok(out.startsWith(`${number}  `));
  }
  const checked = samples(numbers);
  assert.ok(checked.length >= 4, 'four kinds');
  for (const number of checked) {
    const { shipped, solution, mine } = parts(number);
    const check = fs.readFileSync(shipped, 'utf8').match(/^\/\/ check: (.*)$/m)[1];
    const first = mha('check', number);
    assert.equal(first.status, 1, `${number}: ${first.out}${first.err}`);
    assert.ok(first.out.includes(`\nFAILED  ${check}\n`), `${number}: ${first.out}`);
    assert.doesNotMatch(first.out, /warning/, 'as shipped it compiles without warnings');
    fs.copyFileSync(solution, mine);
    const second = mha('check', number);
    assert.equal(second.status, 0, `${number}: ${second.out}${second.err}`);
    assert.ok(second.out.includes(`${number} is solved.`));
    assert.doesNotMatch(second.out, /warning/, 'nor has the solution any');
  }
  assert.match(mha('list').out, new RegExp(`^${checked.length} of ${numbers.length} solved$`, 'm'));
});

const inSoftmax = (line) => `#include "exercise/exercise.hpp"
#include <stdexcept>
mha::RowVector<double> softmax_row(const mha::RowVector<double>& scores) {
  ${line}
  return mha::RowVector<double>::Zero(scores.size());
}
`;

const mistakes = [
  ['a missing semicolon', 'int a = 3', /\/01_2_softmax_row\.cpp:[45]: error: expected/],
  ['number types that do not fit', 'mha::RowVector<float> r = scores;', /softmax_row\.cpp:4: error: two kinds of numbers meet/],
  ['sizes that do not fit', 'Eigen::Matrix2d m = Eigen::Matrix3d::Identity();', /softmax_row\.cpp:4: error: .*you mixed matrices/],
  ['an unused variable', 'int forgotten;', /softmax_row\.cpp:4: warning: unused[^]*FAILED/],
  ['an endless loop', 'for (volatile bool on = true; on;) {}', /still running after 2 s/],
  ['a null pointer', '*static_cast<volatile int*>(nullptr) = 1;', /used memory that is not its own/],
  ['an exception', 'throw std::runtime_error("no idea");', /stopped by an exception: no idea/],
  ['an index past the end of a row', 'double a = scores(scores.size()); if (a > 1) throw a;',
    /Eigen needs this to be true: index >= 0/],
  ['an index past the end of a vector', 'std::vector<int> v; v[scores.size()] = 1;',
    /library needs this to be true: __n < this->size\(\)/],
  ['an abort', 'std::abort();', /aborted \(SIGABRT\)/],
];
for (const [what, line, said] of mistakes) {
  test(`${what} in the reader's code is told in a few lines`, () => {
    mha('start', '1.2');
    fs.writeFileSync(parts('1.2').mine, inSoftmax(line));
    const { status, out } = mha('check', '1.2', '--seconds', '2');
    assert.equal(status, 1);
    assert.match(out.replace(/(\S)\n(?=\S)/g, '$1 ').replace(/^my/m, '/my'), said);
    assert.ok(out.split('\n').length < 40, out);
    for (const row of out.split('\n')) assert.ok([...row].length <= 80, row);
  });
}

test('a function of another name is told by the name that is missing', () => {
  fs.writeFileSync(parts('1.2').mine, inSoftmax('').replace('softmax_row', 'soft_max'));
  const { status, out } = mha('check', '1.2');
  assert.equal(status, 1);
  assert.match(out, /error: softmax_row is not defined as the\s+check\s+calls\s+it/);
});
