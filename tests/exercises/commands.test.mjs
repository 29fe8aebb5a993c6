// start, check, hint, solution, reset and list, as a reader types them.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { runMha, until, withoutSteps } from '../command_line/reader_sandbox.mjs';
import { failing, inBook, passing, shipped } from './exercise_sandbox.mjs';

const day = /^\d{4}-\d\d-\d\d$/;
const alpha = 'my/01_1_alpha.cpp';

// An error: one line, and nothing else.
function refused({ status, out, err }, expected) {
  assert.equal(status, 1);
  assert.equal(out, '');
  assert.match(err, /^mha: [^\n]+\n$/);
  assert.match(err, expected);
}

inBook('start makes a copy, records it and says how to go on', (book) => {
  const { status, out, err } = book.mha('start', '1.1');
  assert.equal(status, 0);
  assert.equal(err, '');
  assert.equal(book.read(alpha), shipped('1.1', 'Alpha'));
  assert.match(out, /^1\.1 {2}Alpha\nimplement, difficulty 2 of 3; chapter 1, section here\n/);
  assert.match(out, /Open my\/01_1_alpha\.cpp/);
  for (const next of ['check', 'watch', 'hint']) assert.ok(out.includes(`./mha ${next} 1.1`), next);
  const { file, started, shipped: version } = book.progress()['1.1'];
  assert.equal(file, '01_1_alpha.cpp');
  assert.match(started, day);
  assert.match(version, /^[0-9a-f]{16}$/);
});

inBook('start says where the exercise stands in the book, once that is made', (book) => {
  assert.doesNotMatch(book.mha('start', '1.1').out, /\.html/);
  book.write('build/book/one.html', '');
  assert.match(book.mha('start', '1.1').out, /\nbuild\/book\/one\.html#exercise-1-1\n/);
});

inBook('start leaves a copy that is there as it is', (book) => {
  book.mha('start', '01.1');
  book.write(alpha, 'my work\n');
  const { status, out } = book.mha('start', '1.1');
  assert.equal(status, 0);
  assert.match(out, /already there; nothing was changed/);
  assert.equal(book.read(alpha), 'my work\n');
});

inBook('start without a number begins the first open exercise', (book) => {
  book.mha('start', '1.1');
  assert.match(book.mha('start').out, /^1\.2 /);
  assert.match(book.mha('start').out, /^2\.1 /);
  refused(book.mha('start'), /every exercise is started/);
});

inBook('check of an unsolved exercise shows the report and where help is', (book) => {
  book.mha('start', '1.1');
  const { status, out } = book.mha('check', '1.1');
  assert.equal(status, 1);
  assert.match(out, /^FAILED {2}it is right\n {8}expected 3, got 4\.\n/m);
  assert.match(out, /1\.1 is not solved yet\.\n\.\/mha hint 1\.1 gives a hint \(2 left\)\./);
  assert.match(out, /still as you got it/);
  assert.equal(book.progress()['1.1'].solved, undefined);
  book.write(alpha, `changed\n${failing}`);
  assert.doesNotMatch(book.mha('check', '1.1').out, /still as you got it/);
});

inBook('check of a solved exercise records the day and names the next', (book) => {
  book.mha('start', '1.1');
  book.write(alpha, passing);
  const { status, out } = book.mha('check', '1.1');
  assert.equal(status, 0);
  assert.match(out, /1\.1 is solved\. \.\/mha solution 1\.1/);
  assert.match(out, /1 of 3 solved\. Next: \.\/mha start 1\.2/);
  assert.match(book.progress()['1.1'].solved, day);
});

inBook('a solved exercise that fails again says so and stays on record', (book) => {
  book.mha('start', '1.1');
  book.write(alpha, passing);
  book.mha('check', '1.1');
  const { solved } = book.progress()['1.1'];
  book.write(alpha, failing);
  const { status, out } = book.mha('check', '1.1');
  assert.equal(status, 1);
  assert.ok(out.includes(`1.1 was solved on ${solved} and fails now.`), out);
  assert.equal(book.progress()['1.1'].solved, solved);
  book.write(alpha, passing);
  assert.match(book.mha('check', '1.1').out, /is solved, since/);
});

inBook('check without a number takes the unsolved one that was saved last', (book) => {
  refused(book.mha('check'), /no exercise is started and unsolved; \.\/mha start 1\.1/);
  for (const number of ['1.1', '1.2', '2.1']) book.mha('start', number);
  const later = (file, seconds) => {
    const when = new Date(Date.now() + 1000 * seconds);
    fs.utimesSync(path.join(book.tree, file), when, when);
  };
  later('my/02_1_gamma.cpp', 5);
  later('my/01_2_beta.cpp', 9);
  assert.match(book.mha('check').out, /^1\.2 /);
  book.write('my/01_2_beta.cpp', passing);
  later('my/01_2_beta.cpp', 9);
  assert.equal(book.mha('check').status, 0);
  assert.match(book.mha('check').out, /^2\.1 /);
  assert.match(book.mha('hint').out, /^2\.1 /);
});

inBook('check of an exercise that is not started says how to start it', (book) => {
  refused(book.mha('check', '1.1'), /01_1_alpha\.cpp is not there; \.\/mha start 1\.1/);
});

inBook('check --all passes only when all that are started do', (book) => {
  refused(book.mha('check', '--all'), /no exercise is started; \.\/mha start 1\.1/);
  book.mha('start', '1.1');
  book.mha('start', '2.1');
  book.write(alpha, passing);
  const bad = book.mha('check', '--all');
  assert.equal(bad.status, 1);
  assert.match(bad.out, /^1\.1 +passed\n2\.1 +FAILED {2}it is right\n\n1 of the 2 .* of 3 in the book/);
  assert.match(book.progress()['1.1'].solved, day);
  book.write('my/02_1_gamma.cpp', passing);
  assert.equal(book.mha('check', '--all').status, 0);
  book.write('my/02_1_gamma.cpp', 'compile: 1:1: error: no\n');
  const worse = book.mha('check', '--all');
  assert.equal(worse.status, 1);
  assert.match(worse.out, /^2\.1 +does not compile\n +was solved on/m);
});

inBook('--all and a number are not taken together', (book) => {
  refused(book.mha('check', '1.1', '--all'), /a number or --all/);
});

inBook('the last one solved ends the course', (book) => {
  for (const [number, file] of [['1.1', '01_1_alpha'], ['1.2', '01_2_beta'], ['2.1', '02_1_gamma']]) {
    book.mha('start', number);
    book.write(`my/${file}.cpp`, passing);
  }
  assert.equal(book.mha('check', '--all').status, 0);
  assert.match(book.mha('check', '1.1').out, /every exercise is solved/);
});

inBook('compiler errors come short, and whole with --full and in the log', (book) => {
  book.mha('start', '1.1');
  book.write(alpha, `first line
compile: 1:3: error: one
compile: 2:1: error: two
compile: 2:1: note: a candidate
compile: 3:1: error: three
compile: 4:1: error: four
`);
  const { status, out } = book.mha('check', '1.1');
  assert.equal(status, 1);
  assert.match(out, /^my\/01_1_alpha\.cpp:1: error: one\n {5}1 \| first line\n {7}\| {3}\^\n/m);
  assert.match(out, /error: three/);
  assert.match(out, /^and 1 more$/m);
  assert.doesNotMatch(out, /error: four|candidate|FAILED/);
  assert.match(out, /It does not compile yet\.[^]*check 1\.1 --full\n +build\/log\/my_01_1_alpha\.log/);
  assert.match(book.read('build/log/my_01_1_alpha.log'), /error: four/);
  assert.match(book.mha('check', '1.1', '--full').out, /a candidate[^]*error: four/);
});

inBook('a build that fails elsewhere is not laid at the reader\'s door', (book) => {
  book.mha('start', '1.1');
  book.write(alpha, 'break: CMake Error: no space left\n');
  const { status, out } = book.mha('check', '1.1');
  assert.equal(status, 1);
  assert.match(out, /no space left[^]*failed, but not in your file/);
});

const ends = [
  ['an endless loop', 'while :; do :; done', /still running after 1 s and was stopped/],
  ['an endless loop that prints', 'while :; do echo on; done', /lines are left out here[^]*still running after 1 s/],
  ['a segmentation fault', 'kill -SEGV $$', /crashed\. It used memory that is not its own/],
  ['an abort', 'kill -ABRT $$', /crashed\. It was aborted/],
  ['a division by zero', 'kill -FPE $$', /divided a whole number by zero/],
  ['an exit before the checks', 'exit 0', /ended before its checks did/],
];
for (const [what, script, said] of ends) {
  inBook(`${what} is told in plain words and is not passed`, (book) => {
    book.mha('start', '1.1');
    book.write(alpha, `run: ${script}\n${passing}`);
    const { status, out } = book.mha('check', '1.1', '--seconds', '1');
    assert.equal(status, 1);
    assert.match(out.replace(/(\S)\n(?=\S)/g, '$1 '), said);
    assert.ok(out.length < 20_000);
    assert.equal(book.progress()['1.1'].solved, undefined);
  });
}

inBook('Ctrl-C during a check ends the program that is checked', async (book) => {
  book.mha('start', '1.1');
  book.write(alpha, `run: echo $$ >"$CALLS.pid"\nrun: sleep 600\n${passing}`);
  const check = book.start('check', '1.1', '--seconds', '600');
  const pidFile = `${book.env.CALLS}.pid`;
  await until(() => fs.existsSync(pidFile) && fs.readFileSync(pidFile, 'utf8') !== '', 'it runs');
  const pid = Number(fs.readFileSync(pidFile, 'utf8'));
  check.end('SIGINT');
  assert.equal((await check.done).status, 130);
  await until(() => {
    try { return process.kill(pid, 0) && false; } catch { return true; }
  }, 'the program is gone');
});

inBook('hints come one by one, then all, and are counted', (book) => {
  assert.match(book.mha('hint', '1.1').out, /Hint 1 of 2: The first hint\.\n\n1 more: \.\/mha hint 1\.1\n$/);
  const second = book.mha('hint', '1.1').out;
  assert.match(second, /Hint 2 of 2: The second hint, on two lines\.\n\nThat was the last\. \.\/mha solution 1\.1/);
  assert.doesNotMatch(second, /first hint/);
  const all = book.mha('hint', '1.1').out;
  assert.match(all, /first hint[^]*second hint[^]*These are all/);
  assert.equal(book.progress()['1.1'].hints, 2);
  assert.ok(!fs.existsSync(path.join(book.tree, alpha)), 'a hint starts nothing');
});

inBook('a solution is shown without asking only when solved or with --yes', (book) => {
  book.mha('start', '1.1');
  refused(book.mha('solution', '1.1'), /not solved yet; \.\/mha solution 1\.1 --yes/);
  const { status, out } = book.mha('solution', '1.1', '--yes');
  assert.equal(status, 0);
  assert.match(out, /^Solution 1\.1: Alpha\n\nBecause\.\n\nrun: /);
  assert.match(out, /It lies in chapters\/01_one\/solutions\/1_alpha\.cpp/);
  assert.equal(book.read(alpha), shipped('1.1', 'Alpha'));
  book.write(alpha, passing);
  book.mha('check', '1.1');
  assert.equal(book.mha('solution', '1.1').out, out);
  refused(book.mha('solution'), /NUMBER is required/);
});

inBook('on a terminal the solution is shown after a y', (book) => {
  // script gives the command a terminal.
  const answer = (text) => execFileSync('/usr/bin/script',
    ['-qec', `'${book.tree}/mha' solution 1.1`, '/dev/null'],
    { input: text, env: { ...book.env, TERM: 'dumb' }, encoding: 'utf8' });
  assert.match(answer('y\n'), /Because\./);
  const no = answer('\n');
  assert.match(no, /Show the solution\? \[y\/N\]/);
  assert.doesNotMatch(no, /Because\./);
});

inBook('reset gives the exercise anew and keeps every older copy', (book) => {
  refused(book.mha('reset', '1.1'), /not started; \.\/mha start 1\.1/);
  book.mha('start', '1.1');
  const kept = [];
  for (let i = 0; i < 3; i += 1) {
    kept.push(`work ${i}\n${passing}`);
    book.write(alpha, kept[i]);
    assert.equal(book.mha('check', '1.1').status, 0);
    const { status, out } = book.mha('reset', '1.1');
    assert.equal(status, 0);
    assert.match(out, /my\/backup\/01_1_alpha\.\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d(-\d)?\.cpp/);
    assert.equal(book.read(alpha), shipped('1.1', 'Alpha'));
    assert.equal(book.progress()['1.1'].solved, undefined);
  }
  const found = book.names('my/backup').map((name) => book.read(`my/backup/${name}`));
  assert.deepEqual(found.sort(), kept);
});

for (const part of ['exercises', 'checks']) {
  inBook(`when the book's ${part} change, check, list and start say so until reset`, (book) => {
    const said = /changed since you started it\. \.\/mha\s+reset 1\.1\s+gives\s+you\s+the\s+new\s+one/;
    book.mha('start', '1.1');
    for (const words of [['check', '1.1'], ['list']]) assert.doesNotMatch(book.mha(...words).out, said);
    book.write(`chapters/01_one/${part}/1_alpha.cpp`, `${shipped('1.1', 'Alpha')}// new\n`);
    for (const words of [['check', '1.1'], ['start', '1.1'], ['check', '--all'], ['list']])
      assert.match(book.mha(...words).out, said, words.join(' '));
    book.mha('reset', '1.1');
    assert.doesNotMatch(book.mha('check', '1.1').out, said);
  });
}

inBook('an exercise that the book no longer has keeps the reader\'s file, and list says so', (book) => {
  book.mha('start', '1.2');
  for (const part of ['exercises', 'checks', 'solutions'])
    fs.rmSync(path.join(book.tree, `chapters/01_one/${part}/2_beta.cpp`));
  assert.match(book.mha('list').out, /my\/01_2_beta\.cpp belongs to an exercise that the book no longer has/);
  assert.ok(fs.existsSync(path.join(book.tree, 'my/01_2_beta.cpp')));
});

inBook('list shows what is open, started and solved', (book) => {
  const states = () => book.mha('list').out.match(/^ {4}\d\.\d.*$/gm)
    .map((line) => line.replace(/^ +(\S+) .* (open|started|solved) +.*$/, '$1 $2'));
  assert.deepEqual(states(), ['1.1 open', '1.2 open', '2.1 open']);
  book.mha('start', '1.2');
  book.write('my/01_2_beta.cpp', passing);
  book.mha('check', '1.2');
  book.mha('start', '2.1');
  assert.deepEqual(states(), ['1.1 open', '1.2 solved', '2.1 started']);
  assert.match(book.mha('list').out, /^1 of 3 solved$/m);
});

inBook('a broken progress file is set aside with one message, and the work goes on', (book) => {
  book.mha('start', '1.1');
  book.write(alpha, passing);
  book.write('my/progress.json', '{"version": 1, ');
  const { status, err } = book.mha('check', '1.1');
  assert.equal(status, 0);
  assert.match(err, /^mha: my\/progress\.json could not be read and is now progress\.broken-\S+\.json[^\n]*\n$/);
  const aside = book.names('my').filter((name) => name.startsWith('progress.broken-'));
  assert.equal(aside.length, 1);
  assert.equal(book.read(`my/${aside[0]}`), '{"version": 1, ');
  assert.match(book.progress()['1.1'].solved, day);
  assert.equal(book.mha('list').err, '');
});

inBook('progress of a later version of the book is refused and kept', (book) => {
  const text = '{"version": 2, "exercises": {}}';
  book.write('my/progress.json', text);
  for (const words of [['start', '1.1'], ['hint', '1.1']])
    assert.match(book.mha(...words).err, /^mha: my\/progress\.json was written by a later version[^\n]*\n$/);
  assert.equal(book.mha('list').status, 1);
  assert.equal(book.read('my/progress.json'), text);
});

inBook('a folder that cannot be written is told in one line', (book) => {
  book.write('my', 'a file');
  const { status, err } = book.mha('start', '1.1');
  assert.equal(status, 1);
  assert.match(err, /^mha: my cannot be made[^\n]*\n$/);
  assert.equal(book.read('my'), 'a file');
});

inBook('a read-only folder loses nothing', (book) => {
  book.mha('start', '1.1');
  book.write(alpha, passing);
  const my = path.join(book.tree, 'my');
  fs.chmodSync(my, 0o555);
  try {
    const { status, err } = book.mhaUnprivileged('check', '1.1');
    assert.equal(status, 1);
    assert.match(err, /^mha: my\/progress\.json cannot be written[^\n]*\n$/);
    refused(book.mhaUnprivileged('reset', '1.1'), /cannot be/);
    assert.equal(book.read(alpha), passing);
  } finally {
    fs.chmodSync(my, 0o755);
  }
});

const unknown = [
  [['start', '1.9'], /no exercise 1\.9; chapter 1 has 1\.1, 1\.2\n/],
  [['check', '7.1'], /no exercise 7\.1; chapters with exercises: 1, 2\n/],
  [['hint', 'two'], /'two' is no number of an exercise; write it as 2\.1/],
  [['reset', '../x'], /'\.\.\/x' is no number/],
  [['solution', '*'], /'\*' is no number/],
  [['watch', '1'], /'1' is no number/],
  [['check', '1.1', '1.2'], /1\.2; \.\/mha help check/],
  [['check', '--fast'], /--fast; \.\/mha help check/],
  [['check', '--seconds', '0'], /\.\/mha help check/],
  [['start', '1.1', '--yes'], /--yes; \.\/mha help start/],
];
for (const [words, expected] of unknown) {
  inBook(`'${words.join(' ')}' is answered with one line`, (book) => {
    refused(book.mha(...words), expected);
    assert.ok(!book.has('my'), 'nothing is written');
  });
}

inBook('a file in my/ with an odd name is left alone', (book) => {
  const odd = ['a b;c.cpp', '[x].cpp', '$HOME.cpp', '02_1_other.cpp', 'ünï.cpp'];
  for (const name of odd) book.write(`my/${name}`, 'mine');
  book.mha('start', '1.1');
  assert.equal(book.mha('check', '1.1').status, 1);
  for (const name of odd) assert.equal(book.read(`my/${name}`), 'mine');
});

inBook('from elsewhere the files are named as the reader would type them', (book) => {
  const elsewhere = fs.mkdtempSync(path.join(os.tmpdir(), 'else where '));
  try {
    const { out } = runMha(path.join(book.tree, 'mha'), ['start', '1.1'], { cwd: elsewhere, env: book.env });
    const named = out.match(/Open (.*) in your editor/)[1];
    assert.ok(fs.existsSync(path.resolve(elsewhere, named)), named);
  } finally {
    fs.rmSync(elsewhere, { recursive: true });
  }
});

// Holds a lock as another command would, until end() is called.
async function hold(book, lock, line) {
  const file = path.join(book.tree, lock);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const script = 'printf "%s" "$2" >"$1"; echo held; sleep 600';
  const holder = spawn('flock', [file, 'bash', '-c', script, 'sh', file, line],
    { stdio: ['ignore', 'pipe', 'ignore'], detached: true });
  await new Promise((resolve) => { holder.stdout.once('data', resolve); });
  return { end: () => process.kill(-holder.pid, 'SIGKILL') };
}

// What a book that began so many seconds ago has written into the lock's file.
const bookSince = (seconds, pid = process.pid) => `${pid} ${Math.floor(Date.now() / 1000) - seconds} book\n`;

inBook('start, hint, list, solution and reset wait for no book that is being made', async (book) => {
  const holder = await hold(book, 'build/lock', bookSince(1));
  try {
    for (const words of [['start', '1.1'], ['hint', '1.1'], ['list'], ['solution', '1.1', '--yes'], ['reset', '1.1']]) {
      const { status, err } = runMha(path.join(book.tree, 'mha'), words, { env: book.env, cwd: book.tree, timeout: 30_000 });
      assert.equal(status, 0, words.join(' '));
      assert.equal(err, '', words.join(' '));
    }
  } finally {
    holder.end();
  }
});

inBook('start compiles nothing but the exercise commands, and those once', (book) => {
  for (const words of [['start', '1.1'], ['hint', '1.1'], ['start', '1.2'], ['list']]) book.mha(...words);
  const calls = book.calls().filter((call) => /^cmake (-S|--build)/.test(call));
  assert.equal(calls.filter((call) => call.startsWith('cmake -S')).length, 1);
  for (const call of calls) assert.match(call, /^cmake (-S .*\/src\/reader\/exercises|--build .*\/build\/reader) /);
});

for (const [from, lock] of [['the shell part', 'build/lock'], ['the progress', 'build/progress_lock'], ['the exercise commands', 'build/reader_lock']]) {
  inBook(`a command that waits says for what and since when: ${from}`, async (book) => {
    book.mha('start', '1.1');
    const holder = await hold(book, lock, bookSince(43));
    const check = book.start('check', '1.1');
    await until(() => withoutSteps(check.err).includes('\n'), 'it says that it waits');
    const [, seconds] = withoutSteps(check.err)
      .match(/^mha: \.\/mha book has been running for (\d+) s; waiting for it\n$/);
    assert.ok(seconds >= 43 && seconds < 120, seconds);
    holder.end();
    const { status, out } = await check.done;
    assert.equal(status, 1);
    assert.match(out, /FAILED/);
  });
}

const unnamed = [
  ['an empty file', ''],
  ['a command that was killed', bookSince(9, 2 ** 22 - 1)],
  ['no such line', 'x y\n'],
  ['numbers alone', '1 2\n'],
  ['a word where the time should be', `${process.pid} once book\n`],
];
for (const [what, line] of unnamed) {
  inBook(`a lock whose holder cannot be told from ${what} names nobody`, async (book) => {
    book.mha('start', '1.1');
    for (const lock of ['build/lock', 'build/progress_lock']) {
      const holder = await hold(book, lock, line);
      const check = book.start('check', '1.1');
      await until(() => withoutSteps(check.err).includes('\n'), 'it says that it waits');
      assert.equal(withoutSteps(check.err), 'mha: another ./mha is working; waiting\n');
      holder.end();
      assert.equal((await check.done).status, 1);
    }
  });
}

inBook('while a check builds, a second says that it waits for the check', async (book) => {
  book.mha('start', '1.1');
  book.write(alpha, `slow: ${book.env.CALLS}.go\n${passing}`);
  const first = book.start('check', '1.1');
  await until(() => book.calls().some((call) => call.endsWith('--target my_01_1_alpha')), 'it builds');
  const second = book.start('check', '1.1');
  await until(() => withoutSteps(second.err).includes('\n'), 'it says that it waits');
  assert.match(withoutSteps(second.err), /^mha: \.\/mha check has been running for \d+ s; waiting for it\n$/);
  assert.equal(book.mha('hint', '1.1').status, 0, 'a hint does not wait');
  fs.writeFileSync(`${book.env.CALLS}.go`, '');
  assert.equal((await first.done).status, 0);
  assert.equal((await second.done).status, 0);
  assert.equal(book.progress()['1.1'].hints, 1);
  assert.match(book.progress()['1.1'].solved, day);
});

for (const words of [['start', '1.2'], ['hint', '1.1'], ['reset', '1.1']]) {
  inBook(`while another changes progress, ${words[0]} waits and then keeps what it wrote`, async (book) => {
    book.mha('start', '1.1');
    const holder = await hold(book, 'build/progress_lock', '');
    const waiting = book.start(...words);
    await until(() => withoutSteps(waiting.err).includes('\n'), 'it says that it waits');
    const progress = JSON.parse(book.read('my/progress.json'));
    progress.exercises['2.1'] = { ...progress.exercises['1.1'], file: '02_1_gamma.cpp', hints: 1 };
    book.write('my/progress.json', JSON.stringify(progress));
    holder.end();
    assert.equal((await waiting.done).status, 0);
    assert.equal(book.progress()['2.1'].hints, 1);
  });
}

inBook('everything fits in 80 columns, and off a terminal has no colour', (book) => {
  const seen = [];
  for (const words of [['list'], ['start', '1.1'], ['check', '1.1'], ['hint', '1.1'], ['hint', '1.1'],
    ['hint', '1.1'], ['solution', '1.1', '--yes'], ['check', '--all'], ['reset', '1.1'], ['list']]) {
    const { out, err } = book.mha(...words);
    seen.push(out, err);
  }
  for (const line of seen.join('\n').split('\n')) {
    assert.ok([...line].length <= 80, `longer than 80 columns: ${line}`);
    assert.ok(!line.includes('\x1b'), line);
  }
});

inBook('on a terminal the verdict has colour, unless NO_COLOR is set', (book) => {
  book.mha('start', '1.1');
  const seen = (extra) => {
    try {
      return execFileSync('/usr/bin/script', ['-qec', `'${book.tree}/mha' check 1.1`, '/dev/null'],
        { env: { ...book.env, TERM: 'xterm', ...extra }, encoding: 'utf8' });
    } catch (failed) {
      return failed.stdout;
    }
  };
  assert.match(seen({}), /\x1b\[31mFAILED\x1b\[0m/);
  assert.doesNotMatch(seen({ NO_COLOR: '1' }), /\x1b\[3/);
});
