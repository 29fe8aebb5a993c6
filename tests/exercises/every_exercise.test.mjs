// Facts that must hold for every exercise of the book, whoever adds it.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { repository, runMha } from '../command_line/reader_sandbox.mjs';

// [{number, chapter, name, read(part)}] from the files alone.
const exercises = fs.readdirSync(path.join(repository, 'chapters'))
  .filter((chapter) => /^\d\d_/.test(chapter))
  .flatMap((chapter) => {
    const folder = path.join(repository, 'chapters', chapter);
    const files = fs.existsSync(path.join(folder, 'exercises'))
      ? fs.readdirSync(path.join(folder, 'exercises')) : [];
    return files.map((file) => ({
      chapter,
      number: `${Number(chapter.slice(0, 2))}.${parseInt(file, 10)}`,
      name: `${chapter.slice(0, 2)}_${path.basename(file, '.cpp')}`,
      read: (part) => fs.readFileSync(path.join(folder, part, file), 'utf8'),
    }));
  });

test('there are exercises', () => {
  assert.ok(exercises.length >= 10);
});

test('every exercise file is in the list, with difficulty and kind', () => {
  const { out } = runMha(path.join(repository, 'mha'), ['list']);
  for (const { number, chapter } of exercises) {
    const line = new RegExp(`^ {4}${number.replace('.', '\\.')} +\\*{1,3} +` +
      '(predict|implement|find the bug|prove or measure) +(open|started|solved) +\\S', 'm');
    assert.match(out, line, `${chapter} ${number}`);
  }
});

for (const { number, read } of exercises) {
  test(`exercise ${number} has hints in steps, none of them empty`, () => {
    const hints = read('exercises').match(/^\/\/ hint:.*$/gm) ?? [];
    assert.ok(hints.length >= 2, `${hints.length} hints`);
    for (const hint of hints) assert.match(hint, /^\/\/ hint: \S.{10,}$/);
  });

  test(`the solution of exercise ${number} explains itself`, () => {
    const head = read('solutions').split(/^(?!\/\/)/m)[0];
    assert.ok(head.replace(/^\/\/ ?/gm, '').split(/\s+/).length >= 30, head);
  });
}

// Lines that say something: no comments, includes, brackets alone.
const tellingLines = (text) => text.split('\n')
  .map((line) => line.replace(/\/\/.*$/, '').replace(/\s+/g, ' ').trim())
  .filter((line) => line !== '' && !/^[{}();,\s]*$/.test(line) && !line.startsWith('#include'));

// The first three lines in a row of inner that stand in a row in outer as well.
function sharedRun(inner, outer) {
  const text = `\n${outer.join('\n')}\n`;
  for (let i = 0; i + 3 <= inner.length; i += 1) {
    const run = inner.slice(i, i + 3).join('\n');
    if (text.includes(`\n${run}\n`)) return run;
  }
  return null;
}

test('the search for shown solutions finds a planted one', () => {
  const solution = tellingLines('int f() {\n  int a = 1;\n  a += 2;  // why\n  return a;\n}\n');
  const page = tellingLines('Text.\n\n```\nint a = 1;\n  a  += 2;\n\nreturn a;\n```\n');
  assert.equal(sharedRun(solution, page), 'int a = 1;\na += 2;\nreturn a;');
  assert.equal(sharedRun(solution, tellingLines('int a = 1;\na += 2;\nreturn b;\n')), null);
});

for (const { number, chapter, read } of exercises) {
  test(`the chapter does not show the solution of exercise ${number}`, () => {
    const program = fs.readFileSync(
      path.join(repository, 'chapters', chapter, `${chapter.slice(3)}.cpp`), 'utf8');
    const page = fs.readFileSync(path.join(repository, 'book', `${chapter}.md`), 'utf8');
    // What the exercise gives the reader is no secret.
    const given = new Set(tellingLines(read('exercises')));
    const solution = tellingLines(read('solutions')).filter((line) => !given.has(line));
    for (const text of [program, page])
      assert.equal(sharedRun(solution, tellingLines(text)), null);
  });
}
