// How the command configures, builds and hands over. CMake is a stand-in here;
// first_run.test.mjs has the real one.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { runMha, sandbox, until, withoutSteps } from './reader_sandbox.mjs';

function inSandbox(name, options, body) {
  test(name, async () => {
    const box = sandbox(options);
    try {
      await body(box);
    } finally {
      box.remove();
    }
  });
}

const configured = (box) => box.calls().filter((call) => call.startsWith('cmake -S'));
const built = (box) => box.calls().filter((call) => call.startsWith('cmake --build'));

for (const chapter of ['2', '02', 'two_words', '02_two_words']) {
  inSandbox(`run ${chapter} builds and runs that chapter's program`, {}, (box) => {
    const { status, out } = box.mha('run', chapter, '--heads', '8', 'a b', '');
    assert.equal(status, 7, "the program's own status");
    assert.match(out, /argument --heads\nargument 8\nargument a b\nargument \n$/);
    assert.match(built(box)[0], /--target two_words$/);
  });
}

inSandbox('the program starts where the reader is, also through a symlink', {}, (box) => {
  const elsewhere = fs.mkdtempSync(path.join(os.tmpdir(), 'else where '));
  try {
    fs.symlinkSync(path.join(box.tree, 'mha'), path.join(elsewhere, 'heads'));
    fs.symlinkSync('heads', path.join(elsewhere, 'again'));
    const { out, err } = runMha('./again', ['run', '2'], { cwd: elsewhere, env: box.env });
    assert.equal(out.split('\n')[0], `in ${elsewhere}`);
    assert.equal(err, '');
    assert.ok(box.has('build/release/build.ninja'), 'built in the tree');
    assert.deepEqual(fs.readdirSync(elsewhere).sort(), ['again', 'heads']);
  } finally {
    fs.rmSync(elsewhere, { recursive: true });
  }
});

inSandbox('on a terminal, a program that ran well is followed by the page that explains it', {}, (box) => {
  box.mha('run', '2');
  const program = path.join(box.tree, 'build/release/chapters/two_words');
  box.replace('cmake', '');
  // script gives the command a terminal.
  const seen = (status) => {
    fs.writeFileSync(program, `#!/usr/bin/env bash\necho "output of $*"; exit ${status}\n`);
    const done = spawnSync('/usr/bin/script', ['-qec', `'${box.tree}/mha' run 2 --heads 8 2>/dev/null`, '/dev/null'],
      { env: { ...box.env, TERM: 'dumb' }, encoding: 'utf8' });
    assert.equal(done.status, status);
    return done.stdout.replaceAll('\r', '');
  };
  const output = 'output of --heads 8\n';
  assert.equal(seen(0), output, 'no book, no page');
  box.write('build/book/two_words.html', '');
  assert.equal(seen(0), `${output}\nExplained in ${box.tree}/build/book/two_words.html\n`);
  assert.equal(seen(3), output);
  assert.equal(box.mha('run', '2').out, 'output of \n', 'a file or a pipe gets the output alone');
});

inSandbox('diagnose hands its words to the program in the reader\'s folder, and its exit status back', {
  replaced: { cmake: `
    case $1 in
      --version) echo 3.25.1 ;;
      --build)
        program=$2/src/diagnose/diagnose
        mkdir -p "\${program%/*}"
        printf '%s\\n' '#!/usr/bin/env bash' 'printf "argument %s\\n" "$@"' 'pwd' 'exit 2' >"$program"
        chmod +x "$program" ;;
    esac` },
}, (box) => {
  const { status, out } = runMha(path.join(box.tree, 'mha'), ['diagnose', 'a b.npz', '--heads', '8'],
    { env: box.env, cwd: box.env.HOME });
  assert.equal(status, 2);
  assert.equal(out, `argument a b.npz\nargument --heads\nargument 8\n${box.env.HOME}\n`);
  assert.ok(box.calls().some((call) => /^cmake --build .* --target diagnose$/.test(call)));
});

inSandbox('book ends with the path of the page', {}, (box) => {
  const { status, out } = box.mha('book');
  assert.equal(status, 0);
  assert.equal(out, `The book is here: ${box.tree}/build/book/index.html\n`);
});

inSandbox('book --open shows the page in a browser',
  { replaced: { 'xdg-open': '' } }, (box) => {
    assert.equal(box.mha('book', '--open').status, 0);
    assert.equal(box.calls().at(-1), `xdg-open ${box.tree}/build/book/index.html`);
  });

inSandbox('book --open without a browser still makes the book', {}, (box) => {
  const { status, out, err } = box.mha('book', '--open');
  assert.equal(status, 0);
  assert.match(err, /^mha: no browser could be started; .*\n$/m);
  assert.match(out, /index\.html\n$/);
});

const printing = (box) => box.calls().filter((call) => /print_book\.mjs/.test(call));
const printer = `
case $* in
  *print_book.mjs*) echo 'Printed 3 pages.'; touch "\${*: -1}" ;;
  *) echo v18.20.4 ;;
esac`;

for (const words of [['--pdf'], ['--open', '--pdf'], ['--pdf', '--open']]) {
  inSandbox(`book ${words.join(' ')} prints the book and says where`,
    { replaced: { node: printer, 'xdg-open': '' } }, (box) => {
      const { status, out, err } = box.mha('book', ...words);
      const folder = `${box.tree}/build/book`;
      assert.equal(status, 0, err);
      assert.equal(out, `The printed book is here: ${folder}/many_heads.pdf\nThe book is here: ${folder}/index.html\n`);
      assert.equal(printing(box).length, 1);
      assert.equal(box.calls().some((call) => call.startsWith('xdg-open')), words.includes('--open'));
      box.forget();
      assert.equal(box.mha('book', '--pdf').status, 0);
      assert.deepEqual(printing(box), [], 'a file that is there is of these pages');
    });
}

inSandbox('a book that cannot be printed is an error, and stays a book',
  {
    replaced: {
      node: `case $* in *print_book.mjs*) echo 'pdf: the printer burns; put it out'; exit 1 ;; *) echo v18.20.4 ;; esac`,
    },
  }, (box) => {
    const { status, out, err } = box.mha('book', '--pdf');
    assert.equal(status, 1);
    assert.equal(out, '');
    assert.match(err, /^pdf: the printer burns; put it out\nmha: Printing the book failed: see the lines above/m);
    assert.ok(box.has('build/book/index.html'));
  });

inSandbox('a book that was not written is an error',
  { replaced: { cmake: 'case $1 in --version) echo 3.25.1 ;; esac' } }, (box) => {
    const { status, out, err } = box.mha('book');
    assert.notEqual(status, 0);
    assert.equal(out, '');
    assert.match(err, /wrote no .*index\.html; build\/log\/build\.log/);
  });

inSandbox('each command configures only what it adds, and only once', {}, (box) => {
  box.mha('run', '2');
  box.mha('run', '2');
  assert.equal(configured(box).length, 1);
  assert.match(configured(box)[0], /-DMHA_BOOK=OFF -DMHA_TESTS=OFF -DMHA_DIAGNOSE=OFF/);
  box.mha('book');
  box.mha('run', '2');
  assert.equal(configured(box).length, 2);
  assert.match(configured(box)[1], /-DMHA_BOOK=ON -DMHA_TESTS=OFF -DMHA_DIAGNOSE=OFF/);
  box.mha('test');
  box.mha('book');
  assert.equal(configured(box).length, 3);
  assert.match(configured(box)[2], /-DMHA_BOOK=ON -DMHA_TESTS=ON -DMHA_DIAGNOSE=ON/);
});

inSandbox('new presets configure again', {}, (box) => {
  box.mha('run', '2');
  const soon = new Date(Date.now() + 5000);
  fs.utimesSync(path.join(box.tree, 'CMakePresets.json'), soon, soon);
  box.mha('run', '2');
  assert.equal(configured(box).length, 2);
});

inSandbox('a tree that was moved is configured anew', {}, (box) => {
  box.mha('run', '2');
  const moved = `${box.tree} moved`;
  fs.renameSync(box.tree, moved);
  const { status } = runMha(path.join(moved, 'mha'), ['run', '2'], { env: box.env });
  assert.equal(status, 7);
  assert.match(configured(box)[1], /--fresh/);
});

inSandbox('a configuration that was killed starts anew', {}, async (box) => {
  const cmake = fs.readFileSync(path.join(box.env.PATH, 'cmake'), 'utf8');
  box.replace('cmake', `case $1 in
    --version) echo 3.25.1 ;;
    -S) mkdir -p "$2/build/release"; touch "$2/build/release/CMakeCache.txt"; sleep 60 ;;
  esac`);
  const first = box.start('run', '2');
  await until(() => box.has('build/release/CMakeCache.txt'), 'cmake has begun');
  first.end('SIGKILL');
  await first.done;
  box.replace('cmake', cmake);
  assert.equal(box.mha('run', '2').status, 7);
  assert.match(configured(box)[0], /--fresh/);
});

for (const signal of ['SIGINT', 'SIGTERM']) {
  inSandbox(`${signal} stops the command and what it runs`,
    { replaced: { cmake: 'case $1 in --version) echo 3.25 ;; *) exec sleep 60 ;; esac' } },
    async (box) => {
      const run = box.start('run', '2');
      await until(() => box.calls().some((call) => call.startsWith('cmake -S')), 'cmake runs');
      const started = Date.now();
      run.end(signal);
      const { status, err } = await run.done;
      assert.notEqual(status, 0);
      assert.ok(Date.now() - started < 20_000);
      assert.equal(err, '');
    });
}

inSandbox('a failed build shows the first failure, without the command, and the log',
  {
    replaced: {
      cmake: `case $1 in
        --version) echo 3.25.1 ;;
        --build) printf '%s\\n' '[1/9] fine' 'FAILED: two_words.o ' '/usr/bin/c++ long' \
          'two_words.cpp:3: error: no such name' '[2/9] other' ; exit 1 ;;
      esac`,
    },
  }, (box) => {
    const { status, out, err } = box.mha('run', '2');
    assert.notEqual(status, 0);
    assert.equal(out, '');
    assert.equal(err, `FAILED: two_words.o 
two_words.cpp:3: error: no such name
[2/9] other
mha: Building two_words failed: see the lines above, or all of them in build/log/build.log
`);
  });

inSandbox('what a step wrote before it failed is shown too',
  {
    replaced: {
      cmake: `case $1 in
        --version) echo 3.25.1 ;;
        --build) printf '%s\\n' '[1/2] fine' 'a warning' '[2/2] Weaving the book' \\
          'book/02_two_words.md:3: no value x; name one' 'FAILED: book.stamp ' 'cd x && node' \\
          'ninja: build stopped' ; exit 1 ;;
      esac`,
    },
  }, (box) => {
    const { status, err } = box.mha('book');
    assert.notEqual(status, 0);
    assert.equal(err.replace(/^mha: installing.*\n/, ''),
      `book/02_two_words.md:3: no value x; name one
FAILED: book.stamp 
ninja: build stopped
mha: Making the book failed: see the lines above, or all of them in build/log/build.log
`);
  });

inSandbox("test shows ctest's summary and passes on its verdict", {}, (box) => {
  const good = box.mha('test');
  assert.equal(good.status, 0);
  assert.match(good.out, /^100% tests passed, 0 tests failed out of 5$/m);
  assert.deepEqual(built(box).map((call) => call.split(' ').at(-1)), ['all', 'book']);
  box.replace('ctest', 'echo "80% tests passed, 1 tests failed out of 5"; exit 8');
  const bad = box.mha('test');
  assert.notEqual(bad.status, 0);
  assert.match(bad.out, /^80% tests passed/m);
  assert.match(bad.err, /^mha: tests failed, see above; .*LastTest\.log\n$/);
});

inSandbox('a step that takes long says so, and the tests leave exactly that out', {}, async (box) => {
  const quick = fs.readFileSync(path.join(box.env.PATH, 'cmake'), 'utf8');
  box.replace('cmake', `[ "$1" != --build ] || sleep 3; ${quick}`);
  const run = box.start('run', '2');
  const { status, err } = await run.done;
  assert.equal(status, 7);
  assert.match(run.err, /^mha: Building two_words \.\.\.\nmha: Building two_words: \d+ s$/m);
  assert.equal(err, '');
  for (const other of ['mha: Building x failed: see above\n', 'mha: another ./mha is working; waiting\n', 'oops: 2 s\n'])
    assert.equal(withoutSteps(`mha: Building 1.1 ...\n${other}mha: Making the book, 60 s: [3/12] a: b\n`), other);
});

inSandbox('a build folder that cannot be written is named in one line', {}, (box) => {
  box.write('build', 'a file where the folder should be');
  const { status, err } = box.mha('run', '2');
  assert.notEqual(status, 0);
  assert.equal(err, `mha: ${box.tree}/build cannot be written; ` +
    'make it yours with chown -R, or remove it\n');
  assert.deepEqual(box.calls(), []);
});

inSandbox('two at once wait for each other',
  {
    replaced: {
      cmake: `case $1 in
        --version) echo 3.25.1 ;;
        -S)
          echo begin >>"$CALLS.order"
          until [ -e "$CALLS.go" ]; do sleep 0.1; done
          echo end >>"$CALLS.order" ;;
        --build) mkdir -p "$2/../book"; touch "$2/../book/index.html" ;;
      esac`,
    },
  }, async (box) => {
    const order = `${box.env.CALLS}.order`;
    const first = box.start('book');
    await until(() => fs.existsSync(order), 'the first configures');
    const second = box.start('book');
    await until(() => withoutSteps(second.err) !== '', 'the second says something');
    assert.match(withoutSteps(second.err), /^mha: \.\/mha book has been running for \d+ s; waiting for it\n$/);
    // Time in which a second that does not wait would begin as well.
    await new Promise((resolve) => setTimeout(resolve, 3000));
    fs.writeFileSync(`${box.env.CALLS}.go`, '');
    assert.equal((await first.done).status, 0);
    assert.equal((await second.done).status, 0);
    assert.equal(fs.readFileSync(order, 'utf8'), 'begin\nend\nbegin\nend\n');
  });

inSandbox('who is done is not named to those who wait for the next', {}, (box) => {
  for (const words of [['book'], ['run', '2']]) {
    box.mha(...words);
    assert.equal(fs.readFileSync(path.join(box.tree, 'build/lock'), 'utf8'), '', words.join(' '));
  }
});

inSandbox("a chapter's program that runs on keeps nobody waiting", {}, async (box) => {
  box.mha('run', '2');
  box.replace('cmake', '');
  const program = path.join(box.tree, 'build/release/chapters/two_words');
  fs.writeFileSync(program, '#!/usr/bin/env bash\necho >"$CALLS.now"; sleep 60\n');
  const first = box.start('run', '2');
  await until(() => fs.existsSync(`${box.env.CALLS}.now`), 'the program runs');
  fs.rmSync(program);
  fs.writeFileSync(program, '#!/usr/bin/env bash\nexit 7\n', { mode: 0o755 });
  const second = box.mha('run', '2');
  first.end('SIGKILL');
  await first.done;
  assert.equal(second.status, 7);
  assert.equal(second.err, '');
});
