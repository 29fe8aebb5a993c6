// What gets installed, when and how. All installers are stand-ins.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { sandbox, until } from './reader_sandbox.mjs';

// A test with its sandbox, which is removed afterwards.
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

const installers = /^(apt-get|sudo|dpkg|npm)\b/;
const installing = (box) => box.calls().filter((call) => installers.test(call));

inSandbox('a dry run names what is missing and changes nothing',
  { without: ['doxygen', 'clang++', 'chromium'] }, (box) => {
    const { status, out, err } = box.mha('setup', '--dry-run');
    assert.equal(status, 0);
    assert.equal(err, '');
    assert.match(out, /^Would install with apt: doxygen, clang, chromium or chromium-browser$/m);
    assert.match(out, /npm: what src\/weave\/package-lock\.json lists$/m);
    assert.match(out, /npm: what tests\/page\/package-lock\.json lists$/m);
    assert.deepEqual(installing(box), []);
    assert.ok(!box.has('build'));
  });

inSandbox('a dry run says so when nothing is missing', {}, (box) => {
  assert.equal(box.mha('setup').status, 0);
  box.forget();
  const { status, out } = box.mha('setup', '--dry-run');
  assert.equal(status, 0);
  assert.equal(out, 'Nothing is missing.\n');
  assert.deepEqual(installing(box), []);
});

inSandbox('as root only what is missing is installed, and named first',
  { without: ['cmake', 'ninja'] }, (box) => {
    const { err } = box.mha('run', '2');
    assert.match(err, /^mha: installing with apt: cmake, ninja-build$/m);
    const calls = installing(box);
    assert.equal(calls.length, 2, calls.join('\n'));
    assert.match(calls[0], /^apt-get .*update$/);
    assert.match(calls[1],
      /^apt-get .*install --yes --no-install-recommends cmake ninja-build$/);
  });

inSandbox('without root apt is called through sudo, after sudo has asked',
  { without: ['ninja'], replaced: { id: 'echo 1000' } }, (box) => {
    box.mha('run', '2');
    const calls = installing(box);
    assert.equal(calls[0], 'sudo -v');
    assert.match(calls.filter((call) => call.startsWith('sudo')).at(-1),
      /^sudo env DEBIAN_FRONTEND=noninteractive apt-get .*install.* ninja-build$/);
  });

inSandbox('without root and without sudo one line says so',
  { without: ['ninja', 'sudo'], replaced: { id: 'echo 1000' } }, (box) => {
    const { status, err } = box.mha('run', '2');
    assert.notEqual(status, 0);
    assert.match(err, /^mha: installing.*\nmha: apt needs root and there is no sudo.*\n$/);
    assert.deepEqual(installing(box), []);
  });

inSandbox('with nothing missing neither root nor apt is needed',
  { without: ['sudo', 'apt-get', 'apt-cache'], replaced: { id: 'echo 1000' } },
  (box) => {
    assert.equal(box.mha('book').status, 0);
  });

for (const command of [['run', '2'], ['book'], ['test'], ['setup']]) {
  inSandbox(`without apt '${command.join(' ')}' says in one line what to install`,
    { without: ['apt-get', 'ninja'] }, (box) => {
      const { status, out, err } = box.mha(...command);
      assert.notEqual(status, 0);
      assert.equal(out, '');
      assert.match(err, /^mha: there is no apt here; .*: Ninja \(on Debian: ninja-build\)\n$/);
      assert.deepEqual(box.calls(), []);
    });
}

inSandbox('a dry run without apt says what to install',
  { without: ['apt-get', 'ninja'] }, (box) => {
    const { status, out } = box.mha('setup', '--dry-run');
    assert.equal(status, 0);
    assert.match(out, /^Missing, and there is no apt here: Ninja \(on Debian: ninja-build\)$/m);
  });

inSandbox("run needs none of the book's or the tests' packages",
  { without: ['doxygen', 'node', 'npm', 'clang++', 'chromium', 'apt-get'] }, (box) => {
    const { status, err } = box.mha('run', '2');
    assert.equal(status, 7, err);
  });

inSandbox("book needs none of the tests' packages",
  { without: ['clang++', 'chromium', 'apt-get'] }, (box) => {
    const { status, err } = box.mha('book');
    assert.equal(status, 0, err);
    assert.ok(!box.has('tests/page/node_modules'));
  });

inSandbox('book without Emscripten is made, and says what is missing from it',
  { without: ['em++', 'apt-get'] }, (box) => {
    const { status, out, err } = box.mha('book');
    assert.equal(status, 0, err);
    assert.match(err, /^mha: its programs do not run in the pages; \.\/mha setup installs what they need$/m);
    assert.match(out, /index\.html$/m);
  });

inSandbox('setup installs Emscripten', { without: ['em++'] }, (box) => {
  box.mha('setup');
  assert.ok(installing(box).some((call) => /^apt-get .*install .* emscripten$/.test(call)));
});

inSandbox('Emscripten is taken up when it has come, and done without when it has gone',
  { without: ['em++'] }, (box) => {
    const configured = () => {
      box.forget();
      box.mha('book');
      return box.calls().some((call) => call.startsWith('cmake -S'));
    };
    assert.ok(configured(), 'the first time');
    assert.ok(!configured(), 'nothing has changed');
    box.replace('em++', '');
    assert.ok(configured(), 'it has come');
    assert.ok(!configured(), 'nothing has changed');
    box.take('em++');
    assert.ok(configured(), 'it has gone');
  });

inSandbox('book --pdf installs Chromium',
  { without: ['chromium'] }, (box) => {
    box.mha('book', '--pdf');
    assert.ok(installing(box).some((call) => /^apt-get .*install .* chromium$/.test(call)));
  });

inSandbox('book --pdf without Chromium and apt says so in one line',
  { without: ['chromium', 'apt-get'] }, (box) => {
    const { status, err } = box.mha('book', '--pdf');
    assert.equal(status, 1);
    assert.equal(err, 'mha: there is no apt here; install these and run it again: Chromium (on Debian: chromium or chromium-browser)\n');
  });

inSandbox('a browser of another name will do',
  { without: ['chromium', 'apt-get'], replaced: { 'google-chrome': '' } }, (box) => {
    assert.equal(box.mha('setup').status, 0);
  });

inSandbox('a package that apt does not know gives way to the next name',
  {
    without: ['chromium'],
    replaced: { 'apt-cache': '[ "${*: -1}" != chromium ] || exit 100' },
  }, (box) => {
    assert.equal(box.mha('setup').status, 0);
    assert.match(installing(box)[1], /install .* chromium-browser$/);
  });

inSandbox('a package that apt does not know at all is named in one line',
  { without: ['doxygen'], replaced: { 'apt-cache': 'exit 100' } }, (box) => {
    const { status, err } = box.mha('book');
    assert.notEqual(status, 0);
    assert.match(err, /\nmha: apt knows no package doxygen; .*\n$/);
  });

for (const [tool, version, shown] of [
  ['node', 'v16.20.2', '16.20.2'],
  ['cmake', 'cmake version 3.22.1', '3.22.1'],
]) {
  inSandbox(`a ${tool} that is too old is named in one line`,
    { replaced: { [tool]: `echo '${version}'` } }, (box) => {
      const { status, err } = box.mha('book');
      assert.notEqual(status, 0);
      assert.match(err.split('\n').at(-2),
        new RegExp(`^mha: .*/${tool} is version ${shown}; install .* or newer$`));
    });
}

inSandbox('when apt fails its last lines, the log and a non-zero status say so',
  {
    without: ['ninja'],
    replaced: { 'apt-get': 'echo "E: no space left"; [[ $* == *update ]]' },
  }, (box) => {
    const { status, err } = box.mha('run', '2');
    assert.notEqual(status, 0);
    assert.match(err, /^E: no space left$/m);
    assert.match(err, /\nmha: Installing packages failed: .* build\/log\/apt_install\.log\n$/);
    assert.match(fs.readFileSync(path.join(box.tree, 'build/log/apt_install.log'), 'utf8'),
      /no space left/);
  });

inSandbox('a broken source of packages does not stop the installation',
  { without: ['ninja'], replaced: { 'apt-get': '[[ $* != *update ]]' } }, (box) => {
    assert.equal(box.mha('run', '2').status, 7);
  });

inSandbox('an apt that was killed is finished by the next run, even with all in place',
  {
    without: ['ninja'],
    replaced: { 'apt-get': '[[ $* == *update ]] || { echo >"$CALLS.now"; sleep 60; }' },
  }, async (box) => {
    const first = box.start('run', '2');
    await until(() => fs.existsSync(`${box.env.CALLS}.now`), 'apt installs');
    first.end('SIGKILL');
    await first.done;
    box.replace('ninja', '');
    box.replace('apt-get', 'echo "apt-get $*" >>"$CALLS"');
    box.forget();
    assert.equal(box.mha('run', '2').status, 7);
    assert.equal(installing(box)[0], 'dpkg --configure -a');
    assert.match(installing(box)[1], /^apt-get .*install --yes --fix-broken$/);
    box.forget();
    assert.equal(box.mha('run', '2').status, 7);
    assert.deepEqual(installing(box), [], 'and then it is done');
  });

inSandbox('npm ci runs once, and again when the lock file has changed', {}, (box) => {
  const npm = () => box.calls().filter((call) => call.startsWith('npm'));
  assert.equal(box.mha('book').status, 0);
  assert.deepEqual(npm(), ['npm ci --ignore-scripts --no-audit --no-fund']);
  assert.equal(box.mha('book').status, 0);
  assert.equal(npm().length, 1);
  box.write('src/weave/package-lock.json', '{"changed": true}\n');
  assert.equal(box.mha('book').status, 0);
  assert.equal(npm().length, 2);
});

inSandbox('an npm ci that was killed is run again',
  { replaced: { npm: 'mkdir -p node_modules; sleep 60' } }, async (box) => {
    const first = box.start('book');
    await until(() => box.has('src/weave/node_modules'), 'npm has begun');
    first.end('SIGKILL');
    await first.done;
    box.replace('npm', 'echo "npm $*" >>"$CALLS"; mkdir -p node_modules');
    box.forget();
    assert.equal(box.mha('book').status, 0);
    assert.ok(box.calls().some((call) => call.startsWith('npm ci')));
  });

inSandbox('a lock file that is gone is named in one line', {}, (box) => {
  fs.rmSync(path.join(box.tree, 'src/weave/package-lock.json'));
  const { status, err } = box.mha('book');
  assert.notEqual(status, 0);
  assert.match(err, /^mha: src\/weave\/package-lock\.json is missing; .*\n$/);
});

// A chapter with a trained model: two_words, chapter 2.
const model = 'chapters/02_two_words/model';

function inSandboxWithModel(name, options, body) {
  inSandbox(name, options, (box) => {
    box.write(`${model}/package-lock.json`, '{}\n');
    return body(box);
  });
}

inSandboxWithModel("a chapter's model is fetched with npm ci, once", {}, (box) => {
  assert.equal(box.mha('run', '2').status, 7);
  assert.ok(box.has(`${model}/node_modules/.lock_sum`));
  box.forget();
  assert.equal(box.mha('book').status, 0);
  assert.equal(installing(box).length, 1, 'src/weave alone');
});

for (const [what, options] of [
  ['npm fails', { replaced: { npm: '[[ $PWD != */model ]] && mkdir -p node_modules' } }],
  ['npm is missing', { without: ['npm', 'apt-get'] }],
]) {
  inSandboxWithModel(`without the model 'run' goes on and says so when ${what}`, options, (box) => {
    const { status, err } = box.mha('run', '2');
    assert.equal(status, 7, err);
    assert.match(err, /^mha: going on without the model in chapters\/02_two_words\/model; .*$/m);
  });
}

inSandboxWithModel('without the model the book is made and the tests are not',
  { replaced: { npm: '[[ $PWD != */model ]] && mkdir -p node_modules' } }, (box) => {
    assert.equal(box.mha('book').status, 0);
    assert.notEqual(box.mha('test').status, 0);
  });
