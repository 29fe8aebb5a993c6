// watch: what it sees, when it goes on, how it ends.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { failing, inBook, passing, printed } from './exercise_sandbox.mjs';

const alpha = 'my/01_1_alpha.cpp';
const waiting = 'Waiting for you to save';

// A test with a watch that has checked once and waits.
function whileWatching(name, body) {
  inBook(name, async (book) => {
    book.mha('start', '1.1');
    const watch = book.start('watch', '1.1');
    try {
      await printed(watch, waiting);
      await body(book, watch);
    } finally {
      try { watch.end('SIGKILL'); } catch { /* it has ended */ }
      await watch.done;
    }
  });
}

whileWatching('a save into the file is checked', async (book, watch) => {
  assert.match(watch.out, /FAILED {2}it is right[^]*\[-\.\.\] 0 of 3 solved/);
  book.write(alpha, `again\n${failing}`);
  await printed(watch, waiting, 2);
});

whileWatching('a save by renaming a new file over it is checked', async (book, watch) => {
  for (let i = 2; i <= 3; i += 1) {
    book.write('my/.new~', `${i}\n${failing}`);
    fs.renameSync(path.join(book.tree, 'my/.new~'), path.join(book.tree, alpha));
    await printed(watch, waiting, i);
  }
});

whileWatching('a save that removes the file first is checked once it is back', async (book, watch) => {
  fs.rmSync(path.join(book.tree, alpha));
  await sleep(700);
  book.write(alpha, `back\n${failing}`);
  await printed(watch, waiting, 2);
  assert.doesNotMatch(watch.err, /not there/);
});

// Empties the file and fills it in many steps. Returns the longest pause.
async function saveSlowly(file, text) {
  const out = fs.openSync(file, 'w');
  let longest = 0;
  for (let i = 0; i < 20; i += 1) {
    const before = Date.now();
    fs.writeSync(out, i < 19 ? '\n' : text);
    await sleep(30);
    longest = Math.max(longest, Date.now() - before);
  }
  fs.closeSync(out);
  return longest;
}

whileWatching('a save that empties the file first is checked once, when it is written', async (book, watch) => {
  for (let attempt = 0; attempt < 8; attempt += 1) {
    const checks = watch.out.split(waiting).length - 1;
    const pause = await saveSlowly(path.join(book.tree, alpha), failing);
    await printed(watch, waiting, checks + 1);
    await sleep(1500);
    // On a machine that is too busy to write in one go, this says nothing.
    if (pause > 120) continue;
    assert.equal(watch.out.split(waiting).length - 1, checks + 1);
    return;
  }
});

whileWatching('nothing is checked while nothing is saved', async (book, watch) => {
  await sleep(1500);
  assert.equal(watch.out.split(waiting).length, 2);
});

whileWatching('when one is solved the next begins, and after the last it ends', async (book, watch) => {
  book.write(alpha, passing);
  await printed(watch, waiting, 2);
  assert.match(watch.out, /1\.1 is solved[^]*Open my\/01_2_beta\.cpp[^]*\[#-\.\] 1 of 3 solved/);
  book.write('my/01_2_beta.cpp', passing);
  await printed(watch, waiting, 3);
  book.write('my/02_1_gamma.cpp', passing);
  const { status, out } = await watch.done;
  assert.equal(status, 0);
  assert.match(out, /every exercise is solved/);
});

whileWatching('Ctrl-C ends it cleanly', async (book, watch) => {
  watch.end('SIGINT');
  const { status, out, err } = await watch.done;
  assert.equal(status, 0);
  assert.equal(err, '');
  assert.match(out, /\nStopped watching\. 0 of 3 solved\.\n$/);
});

whileWatching('while it waits, other commands need not', async (book) => {
  const { status, err } = book.mha('hint', '1.1');
  assert.equal(status, 0);
  assert.equal(err, '');
  assert.equal(spawnSync('flock', ['--nonblock', path.join(book.tree, 'build/lock'), 'true']).status, 0);
});

whileWatching('an error that is no failed check does not end it', async (book, watch) => {
  book.write(alpha, 'compile: 1:1: error: no\n');
  await printed(watch, waiting, 2);
  assert.match(watch.out, /alpha\.cpp:1: error: no/);
  book.write(alpha, failing);
  await printed(watch, waiting, 3);
});

inBook('watch without a number begins with the next exercise when none is started', async (book) => {
  const watch = book.start('watch');
  await printed(watch, waiting);
  assert.match(watch.out, /Open my\/01_1_alpha\.cpp/);
  watch.end('SIGTERM');
  assert.equal((await watch.done).status, 0);
});
