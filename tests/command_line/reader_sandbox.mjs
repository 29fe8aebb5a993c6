// A copy of what ./mha needs, in a path with spaces, and a PATH of its own whose
// apt, cmake, npm and so on are stand-ins: nothing is installed or built.
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const repository = path.resolve(
  path.dirname(fileURLToPath(import.meta.url)), '../..');

// The programs of the base system that the command may use.
const baseTools = ['awk', 'basename', 'bash', 'cat', 'cut', 'dirname', 'env',
  'flock', 'grep', 'head', 'mkdir', 'nproc', 'readlink', 'rm', 'sed',
  'sha256sum', 'sleep', 'sort', 'tail', 'touch', 'tr'];

// Each stand-in writes its name and arguments to $CALLS and does what follows.
const standIns = {
  'apt-get': '',
  'apt-cache': '',
  chromium: '',
  'clang++': '',
  'c++': '',
  cmake: `
    case $1 in
      --version) echo 'cmake version 3.25.1' ;;
      -S)
        mkdir -p "$2/build/release"
        echo "CMAKE_HOME_DIRECTORY:INTERNAL=$2" >"$2/build/release/CMakeCache.txt"
        echo "MHA_EMXX:FILEPATH=$(command -v em++ || echo MHA_EMXX-NOTFOUND)" >>"$2/build/release/CMakeCache.txt"
        for argument; do
          case $argument in -D*) echo "\${argument#-D}" | sed 's/=/:BOOL=/' ;; esac
        done >>"$2/build/release/CMakeCache.txt"
        touch "$2/build/release/build.ninja" ;;
      --build)
        case "\${*: -1}" in
          all) ;;
          book) mkdir -p "$2/../book" && touch "$2/../book/index.html" ;;
          *)
            mkdir -p "$2/chapters"
            printf '%s\\n' '#!/usr/bin/env bash' 'echo "in $PWD"' \\
              'printf "argument %s\\n" "$@"' 'exit 7' >"$2/chapters/\${*: -1}"
            chmod +x "$2/chapters/\${*: -1}" ;;
        esac ;;
    esac`,
  ctest: 'echo "100% tests passed, 0 tests failed out of 5"',
  doxygen: '',
  'em++': '',
  dpkg: '',
  id: 'echo 0',
  ninja: '',
  node: 'echo v18.20.4',
  npm: 'mkdir -p node_modules',
  sudo: '[ "$1" = -v ] || "$@"',
};

// sandbox({without: [names], replaced: {name: shell text}})
export function sandbox({ without = [], replaced = {} } = {}) {
  const top = fs.mkdtempSync(path.join(os.tmpdir(), 'mha test '));
  const tree = path.join(top, 'many heads');
  const tools = path.join(top, 'tools');
  const calls = path.join(top, 'calls');
  for (const part of ['mha', 'src/reader', 'CMakePresets.json'])
    fs.cpSync(path.join(repository, part), path.join(tree, part), { recursive: true });
  for (const folder of ['src/weave', 'tests/page'])
    write(path.join(tree, folder, 'package-lock.json'), '{}\n');
  write(path.join(tree, 'chapters/02_two_words/two_words.cpp'), '');
  fs.mkdirSync(tools);
  fs.writeFileSync(calls, '');
  for (const tool of [...baseTools, 'chmod'])
    fs.symlinkSync(whereIs(tool), path.join(tools, tool));
  for (const [tool, does] of Object.entries({ ...standIns, ...replaced }))
    if (!without.includes(tool))
      write(path.join(tools, tool), `#!/usr/bin/env bash
echo "$(basename "$0") $*" >>"$CALLS"
${does}
`, 0o755);
  return {
    tree,
    env: { PATH: tools, CALLS: calls, HOME: top },
    mha(...words) { return runMha(path.join(tree, 'mha'), words, { env: this.env }); },
    start(...words) {
      return startMha(path.join(tree, 'mha'), words, { env: this.env });
    },
    calls: () => fs.readFileSync(calls, 'utf8').split('\n').filter(Boolean),
    forget: () => fs.writeFileSync(calls, ''),
    take: (tool) => fs.rmSync(path.join(tools, tool)),
    replace(tool, does) {
      fs.writeFileSync(path.join(tools, tool), `#!/usr/bin/env bash\n${does}\n`,
        { mode: 0o755 });
    },
    has: (name) => fs.existsSync(path.join(tree, name)),
    write: (name, text) => write(path.join(tree, name), text),
    remove() { fs.rmSync(top, { recursive: true, force: true }); },
  };
}

export function write(file, text, mode = 0o644) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text, { mode });
}

function whereIs(tool) {
  for (const folder of process.env.PATH.split(':'))
    if (fs.existsSync(path.join(folder, tool))) return path.join(folder, tool);
  throw new Error(`${tool} is not on PATH`);
}

// Without what is said only where the machine is so busy that a step takes long
// (src/reader/progress.sh): "Building x ...", "Building x: 2 s", "Building x, 60 s: …".
export const withoutSteps = (err) =>
  err.replace(/^mha: [A-Z][^\n:,]*( \.\.\.|: \d+ s|, \d+ s: [^\n]*)\n/gm, '');

// {status, out, err}; err without the steps of a busy machine.
export function runMha(command, words, options = {}) {
  const done = spawnSync(command, words,
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], ...options });
  if (done.error) throw done.error;
  return { status: done.status, out: done.stdout, err: withoutSteps(done.stderr) };
}

// A run of its own process group:
// {out, err, done: promise of what runMha gives, end(signal)}.
export function startMha(command, words, options = {}) {
  const child = spawn(command, words,
    { stdio: ['ignore', 'pipe', 'pipe'], detached: true, ...options });
  const running = { out: '', err: '', end: (signal) => process.kill(-child.pid, signal) };
  child.stdout.on('data', (text) => { running.out += text; });
  child.stderr.on('data', (text) => { running.err += text; });
  running.done = new Promise((resolve) => child.on('close',
    (status) => resolve({ status, out: running.out, err: withoutSteps(running.err) })));
  return running;
}

// Waits until what() is true; fails after a minute.
export async function until(what, described) {
  for (let waited = 0; !what(); waited += 20) {
    if (waited > 60_000) throw new Error(`waited in vain until ${described}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
