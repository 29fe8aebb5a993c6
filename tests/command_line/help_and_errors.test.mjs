// What the command says when it is asked, and when it is asked wrongly.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { repository, runMha, sandbox } from './reader_sandbox.mjs';

const commands = ['book', 'run', 'diagnose', 'bench', 'list', 'test', 'setup',
  'start', 'check', 'watch', 'hint', 'solution', 'reset'];
const mha = (...words) => runMha(path.join(repository, 'mha'), words);

function assertFitsTerminal(text) {
  for (const line of text.split('\n'))
    assert.ok([...line].length <= 80, `longer than 80 columns: ${line}`);
}

test('without arguments the command prints its help', () => {
  const { status, out, err } = mha();
  assert.equal(status, 0);
  assert.equal(err, '');
  for (const command of commands) assert.match(out, new RegExp(`^ +\\./mha ${command}\\b`, 'm'));
  assertFitsTerminal(out);
  for (const word of ['help', '--help', '-h']) assert.equal(mha(word).out, out);
});

for (const command of commands) {
  test(`${command} --help and help ${command} say the same`, () => {
    const { status, out, err } = mha(command, '--help');
    assert.equal(status, 0);
    assert.equal(err, '');
    assert.ok(out.startsWith(`./mha ${command}`), out);
    assertFitsTerminal(out);
    assert.deepEqual(mha('help', command), { status, out, err });
    assert.deepEqual(mha(command, '-h'), { status, out, err });
  });
}

const wrong = [
  [['bock'], /no command 'bock'; \.\/mha help/],
  [[''], /no command ''/],
  [['bock', '--help'], /no command 'bock'/],
  [['help', 'bock'], /no command 'bock'/],
  [['--version'], /no command '--version'/],
  [['help', 'run', 'now'], /help does not take 'now'/],
  [['run'], /run needs a chapter; \.\/mha list/],
  [['run', ''], /run needs a chapter/],
  [['run', '--heads', '8'], /needs a chapter before '--heads'/],
  [['run', '9'], /no chapter '9'; \.\/mha list/],
  [['run', 'two_wards'], /no chapter 'two_wards'/],
  [['run', '*'], /no chapter '\*'/],
  [['run', '../x'], /no chapter '\.\.\/x'/],
  [['diagnose'], /diagnose needs a file; \.\/mha help diagnose/],
  [['book', '--opne'], /book has no option '--opne'; \.\/mha help book/],
  [['book', '--open', '--open'], /book has no option '--open'/],
  [['book', '--pdf', '--pdf'], /book has no option '--pdf'/],
  [['book', '--pdf', '--open', '--open'], /book has no option '--open'/],
  [['book', '--pdf=x'], /book has no option '--pdf=x'/],
  [['book', '--pdf', 'book.pdf'], /book does not take 'book.pdf'/],
  [['book', '2'], /book does not take '2'/],
  [['book', ''], /book got an empty argument/],
  [['list', '2'], /list does not take '2'/],
  [['test', '--fast'], /test has no option '--fast'/],
  [['setup', '--dry'], /setup has no option '--dry'/],
  [['setup', '--dry-run', 'now'], /setup does not take 'now'/],
];
for (const [words, expected] of wrong) {
  test(`'mha ${words.join(' ')}' is answered with one line and does nothing`, () => {
    const box = sandbox();
    try {
      const { status, out, err } = box.mha(...words);
      assert.notEqual(status, 0);
      assert.equal(out, '');
      assert.match(err, /^mha: .+\n$/, 'one line');
      assert.match(err, expected);
      assert.ok(!box.has('build'), 'nothing is written');
      assert.deepEqual(box.calls(), [], 'nothing is called');
    } finally {
      box.remove();
    }
  });
}

test('a command without its parts says where it belongs', () => {
  const box = sandbox();
  try {
    fs.rmSync(path.join(box.tree, 'src/reader'), { recursive: true });
    const { status, err } = box.mha('list');
    assert.notEqual(status, 0);
    assert.match(err, /^mha: .*src\/reader is missing; .*\n$/);
  } finally {
    box.remove();
  }
});

test('list names every chapter and exercise of the tree in 80 columns', () => {
  const { status, out, err } = mha('list');
  assert.equal(status, 0);
  assert.equal(err, '');
  assertFitsTerminal(out);
  const lines = out.split('\n');
  const chapters = fs.readdirSync(path.join(repository, 'chapters'))
    .filter((name) => /^\d\d_/.test(name));
  assert.ok(chapters.length > 0);
  for (const folder of chapters) {
    const number = Number(folder.slice(0, 2));
    const page = fs.readFileSync(path.join(repository, 'book', `${folder}.md`), 'utf8');
    const title = page.match(/^# (.*)$/m)[1];
    const line = lines.find((text) => text.startsWith(`${String(number).padStart(2)}  ${folder.slice(3)} `));
    assert.ok(line?.includes(title.slice(0, 40)), `${folder}: ${line}`);
    const exercises = path.join(repository, 'chapters', folder, 'exercises');
    if (!fs.existsSync(exercises)) continue;
    for (const file of fs.readdirSync(exercises).filter((name) => name.endsWith('.cpp'))) {
      const id = `${number}.${parseInt(file, 10)}`;
      assert.ok(lines.some((text) => text.trim().startsWith(`${id} `)), `${folder}/${file}`);
    }
  }
});

test('list shows an exercise with difficulty, kind and title, cut where it is too long', () => {
  const box = sandbox();
  try {
    box.write('book/02_two_words.md', '\n# Two words: größer\n\ntext\n# Not this\n');
    box.write('chapters/02_two_words/exercises/1_short.cpp',
      '// Exercise 2.1: A name: with a colon\n// kind: find the bug\n// difficulty: 2\n');
    box.write('chapters/02_two_words/exercises/2_long.cpp',
      `// Exercise 2.2: ${'é'.repeat(90)}\n// kind: predict\n// difficulty: 3\n`);
    const { status, out, err } = box.mha('list');
    assert.equal(status, 0);
    assert.equal(err, '');
    assert.match(out, /^ 2 {2}two_words +Two words: größer$/m);
    assert.match(out, /^ {4}2\.1 +\*\* +find the bug +open +A name: with a colon$/m);
    assert.match(out, /^ {4}2\.2 +\*\*\* +predict +open +é+…$/m);
    assert.equal([...out.split('\n')[2]].length, 80);
    assertFitsTerminal(out);
  } finally {
    box.remove();
  }
});
