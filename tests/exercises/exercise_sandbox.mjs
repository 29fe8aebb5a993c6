// A small book of exercises with the real command on top. The compiler is a
// stand-in, so that a check takes no time: a "program" is the lines of the
// reader's file that begin with "run: ", as a shell script, and every line that
// begins with "compile: " is an error that the compiler reports. With "slow: FILE"
// it takes until that file is there.
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { runMha, sandbox, startMha, until } from '../command_line/reader_sandbox.mjs';

const cmake = `
  echo "cmake $*" >>"$CALLS"
  case $1 in
    --version) echo 'cmake version 3.25.1' ;;
    -S)
      folder=$2/build/release
      [ "$3" != -B ] || folder=$4
      mkdir -p "$folder"
      echo "CMAKE_HOME_DIRECTORY:INTERNAL=$2" >"$folder/CMakeCache.txt"
      touch "$folder/build.ninja" ;;
    --build)
      target=\${*: -1} file="\${2%/build/release}/my/\${*: -1}.cpp"
      file=\${file/my_/}
      case $target in
        exercises)
          [ -e "$2/exercises" ] || ln -s "$MHA_EXERCISES" "$2/exercises" ;;
        my_*)
          echo '[1/2] Building CXX object'
          go=$(sed -n 's/^slow: //p' "$file")
          until [ -z "$go" ] || [ -e "$go" ]; do sleep 0.1; done
          if grep -q '^compile: ' "$file"; then
            echo "FAILED: $target.o"
            sed -n "s|^compile: |$file:|p" "$file"
            exit 1
          fi
          ! grep '^break: ' "$file" || exit 1
          mkdir -p "$2/my"
          { echo '#!/usr/bin/env bash'; sed -n 's/^run: //p' "$file"; } >"$2/my/$target"
          chmod +x "$2/my/$target" ;;
      esac ;;
  esac`;

export const passing = `run: echo 'passed  it is right'
run: echo
run: echo '1 of 1 checks passed'
`;

export const failing = `run: echo 'FAILED  it is right'
run: echo '        expected 3, got 4.'
run: echo
run: echo '0 of 1 checks passed'
run: exit 1
`;

export const shipped = (number, title) => `// Exercise ${number}: ${title}
// kind: implement
// difficulty: 2
// section: here
// check: it is right
//
// Do it.
//
// hint: The first hint.
// hint: The second hint,
//   on two lines.
${failing}`;

// A test in a book with the exercises 1.1, 1.2 and 2.1.
export function inBook(name, body) {
  test(name, async () => {
    const box = sandbox({ replaced: { cmake: '' } });
    // A copy that everybody may run, wherever this tree lies.
    box.env.MHA_EXERCISES = path.join(path.dirname(box.tree), 'exercises');
    fs.copyFileSync(process.env.MHA_EXERCISES, box.env.MHA_EXERCISES);
    box.replace('cmake', cmake);
    fs.symlinkSync('/usr/bin/ln', path.join(box.env.PATH, 'ln'));
    add(box, '01_one', '1_alpha', '1.1', 'Alpha');
    add(box, '01_one', '2_beta', '1.2', 'Beta');
    add(box, '02_two_words', '1_gamma', '2.1', 'Gamma');
    const book = {
      ...box,
      mha: (...words) => runMha(path.join(box.tree, 'mha'), words, { env: box.env, cwd: box.tree }),
      mhaUnprivileged: (...words) => unprivileged(box, words),
      start: (...words) => startMha(path.join(box.tree, 'mha'), words, { env: box.env, cwd: box.tree }),
      read: (file) => fs.readFileSync(path.join(box.tree, file), 'utf8'),
      names: (folder) => fs.readdirSync(path.join(box.tree, folder)).sort(),
      progress: () => JSON.parse(fs.readFileSync(path.join(box.tree, 'my/progress.json'), 'utf8')).exercises,
    };
    try {
      await body(book);
    } finally {
      box.remove();
    }
  });
}

// The command as somebody whom a read-only folder stops. Nothing stops root, so
// root hands the book over and runs the command as nobody.
function unprivileged(box, words) {
  const options = { env: box.env, cwd: box.tree };
  if (process.getuid() === 0) {
    const nobody = 65534;
    const top = path.dirname(box.tree);
    for (const name of ['', ...fs.readdirSync(top, { recursive: true })])
      fs.lchownSync(path.join(top, name), nobody, nobody);
    Object.assign(options, { uid: nobody, gid: nobody });
  }
  return runMha(path.join(box.tree, 'mha'), words, options);
}

function add(box, chapter, name, number, title) {
  box.write(`chapters/${chapter}/exercises/${name}.cpp`, shipped(number, title));
  box.write(`chapters/${chapter}/checks/${name}.cpp`, 'checks\n');
  box.write(`chapters/${chapter}/solutions/${name}.cpp`,
    `// Solution ${number}: ${title}\n//\n// Because.\n${passing}`);
}

// Waits until a command that was started has printed so many matches of text.
export const printed = (running, text, times = 1) => until(
  () => running.out.split(text).length > times, `"${text}" is printed ${times} times`);
