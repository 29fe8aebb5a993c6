// The diagnosis as readers call it: files in, a name out, and one clear line
// when a file or an option is wrong.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';

const program = process.env.MHA_DIAGNOSE;
assert.ok(program, 'MHA_DIAGNOSE names the program');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'mha diagnose '));
after(() => fs.rmSync(folder, { recursive: true, force: true }));

function diagnose(...words) {
  const { status, signal, stdout, stderr } =
    spawnSync(program, words, { cwd: folder, encoding: 'utf8', timeout: 60_000 });
  assert.equal(signal, null, `${words.join(' ')} was stopped`);
  return { status, out: stdout, err: stderr };
}

function example(name, ...options) {
  const file = `${name.replace(/\W+/g, '_')}.safetensors`;
  const { status, err } = diagnose('--example', name, '--output', file, ...options);
  assert.equal(status, 0, err);
  return file;
}

/** The tensors of a safetensors file, as this test reads the format itself. */
function tensorsOf(file) {
  const bytes = fs.readFileSync(path.join(folder, file));
  const length = Number(bytes.readBigUInt64LE(0));
  const header = JSON.parse(bytes.subarray(8, 8 + length).toString());
  const data = bytes.subarray(8 + length);
  delete header.__metadata__;
  return Object.entries(header).map(([name, { dtype, shape, data_offsets: [from, to] }]) =>
    ({ name, dtype, shape, bytes: data.subarray(from, to) }));
}

/** A .npy file of format 1.0 (numpy.lib.format). */
function npy({ dtype, shape, bytes }) {
  const type = { F32: '<f4', F64: '<f8', F16: '<f2', BOOL: '|b1' }[dtype];
  const tuple = `(${shape.join(', ')}${shape.length === 1 ? ',' : ''})`;
  let header = `{'descr': '${type}', 'fortran_order': False, 'shape': ${tuple}, }`;
  header = `${header.padEnd(Math.ceil((header.length + 11) / 64) * 64 - 11)}\n`;
  const length = Buffer.alloc(2);
  length.writeUInt16LE(header.length);
  return Buffer.concat([Buffer.from('\x93NUMPY\x01\x00', 'latin1'), length,
    Buffer.from(header), bytes]);
}

test('a right attention is called correct, and the exit status is 0', () => {
  const { status, out } = diagnose(example('right'));
  assert.equal(status, 0);
  assert.match(out, /^right\.safetensors: correct, within rounding for float32$/m);
});

for (const name of ['raw-merge', 'sqrt-d-model', 'causal-one-ahead', 'kv-tiled',
  'w-o-forgotten', 'softmax-over-queries', 'padding-of-item-0']) {
  test(`${name} is named, explained and mended, and the exit status is 2`, () => {
    const { status, out } = diagnose(example(name));
    assert.equal(status, 2, out);
    assert.ok(out.startsWith(`${name.replace(/\W/g, '_')}.safetensors: ${name}\n`), out);
    assert.match(out, /to mend it: \w/);
    assert.match(out, /explained on page \d\w? of the book, \w+\.html/);
  });
}

test('two bugs at once are both named', () => {
  const { out } = diagnose(example('raw-merge+sqrt-d-model'));
  assert.match(out, /: (either )?raw-merge \+ sqrt-d-model$/m);
});

for (const type of ['float16', 'bfloat16', 'float64']) {
  test(`a bug is named in ${type}`, () => {
    const { out } = diagnose(example('raw-split', '--type', type));
    assert.match(out, /: raw-split$/m);
  });
}

test('what was computed in bfloat16 and saved in float32 is right, unless --type says otherwise', () => {
  const widened = path.join(folder, 'widened');
  fs.mkdirSync(widened);
  for (const tensor of tensorsOf(example('right', '--type', 'bfloat16'))) {
    if (tensor.dtype !== 'BF16') continue;
    const bytes = Buffer.alloc(2 * tensor.bytes.length);
    for (let i = 0; i < tensor.bytes.length; i += 2) tensor.bytes.copy(bytes, 2 * i + 2, i, i + 2);
    fs.writeFileSync(path.join(widened, `${tensor.name}.npy`), npy({ ...tensor, dtype: 'F32', bytes }));
  }
  const asked = [widened, '--axes', 'bthd', '--not-causal'];
  const { status, out } = diagnose(...asked);
  assert.equal(status, 0, out);
  assert.match(out, /: correct, within rounding for bfloat16$/m);
  assert.match(out, /, computed in bfloat16$/m);
  assert.equal(diagnose(...asked, '--type', 'float32').status, 2);
  assert.equal(diagnose(...asked, '--type', 'bfloat16').status, 0);
});

test('.npy files are read one by one and as a folder, and the axes can be said', () => {
  const set = path.join(folder, 'set of files');
  fs.mkdirSync(set);
  const files = tensorsOf(example('raw-merge')).map((tensor) => {
    const file = path.join(set, `${tensor.name}.npy`);
    fs.writeFileSync(file, npy(tensor));
    return file;
  });
  for (const words of [files, [set]]) {
    const { status, out } = diagnose(...words, '--axes', 'bthd', '--not-causal');
    assert.equal(status, 2, out);
    assert.match(out, /: (either )?raw-merge$/m);
  }
});

test('--json can be parsed and says the same', () => {
  const answer = JSON.parse(diagnose(example('no-scale'), '--json').out);
  assert.equal(answer.finding, 'named');
  assert.equal(answer.fits[0].name, 'no-scale');
  assert.ok(answer.fits[0].error <= answer.fits[0].allowed);
  assert.equal(answer.differences.differing, 0);
});

test('a changed head is found by its place, in words and as a picture', () => {
  const file = example('right');
  const bytes = fs.readFileSync(path.join(folder, file));
  const length = Number(bytes.readBigUInt64LE(0));
  const out = JSON.parse(bytes.subarray(8, 8 + length).toString()).out;
  const [b, t, h, d] = out.shape;
  assert.deepEqual([b, t, h, d], [2, 7, 3, 4]);
  for (let token = 0; token < b * t; token += 1) { // head 1 of every token
    for (let c = 0; c < d; c += 1) {
      const at = 8 + length + out.data_offsets[0] + 4 * ((token * h + 1) * d + c);
      bytes.writeFloatLE(bytes.readFloatLE(at) + 1, at);
    }
  }
  fs.writeFileSync(path.join(folder, 'head.safetensors'), bytes);
  const { status, out: text } = diagnose('head.safetensors', '--svg', 'head.svg');
  assert.equal(status, 2);
  assert.match(text, /: right, apart from some places: no known bug$/m);
  assert.match(text, /heads: 1 of 0 to 2/);
  const svg = fs.readFileSync(path.join(folder, 'head.svg'), 'utf8');
  assert.match(svg, /<title[^>]*>\w.*<\/title>\s*<desc[^>]*>\w/);
});

test('every example that is listed can be written', () => {
  const names = diagnose('--examples').out.trim().split('\n');
  assert.ok(names.length > 60 && names[0] === 'right');
  for (const name of names) example(name);
});

fs.writeFileSync(path.join(folder, 'text.txt'), 'no tensors here\n');
fs.writeFileSync(path.join(folder, 'empty'), '');
fs.mkdirSync(path.join(folder, 'no files'));
example('right');
const whole = fs.readFileSync(path.join(folder, 'right.safetensors'));
fs.writeFileSync(path.join(folder, 'cut.safetensors'), whole.subarray(0, whole.length - 7));
const only = tensorsOf('right.safetensors').filter(({ name }) => name !== 'v');
fs.mkdirSync(path.join(folder, 'no v'));
for (const tensor of only) fs.writeFileSync(path.join(folder, 'no v', `${tensor.name}.npy`), npy(tensor));
fs.mkdirSync(path.join(folder, 'misfit'));
for (const tensor of tensorsOf('right.safetensors')) {
  const odd = tensor.name === 'k' ? { ...tensor, shape: [tensor.shape.reduce((a, b) => a * b)] } : tensor;
  fs.writeFileSync(path.join(folder, 'misfit', `${tensor.name}.npy`), npy(odd));
}

const refused = [
  [[], /needs a file/],
  [['is not there.npz'], /is not there\.npz/],
  [['text.txt'], /text\.txt/],
  [['empty'], /empty/],
  [['no files'], /no files/],
  [['cut.safetensors'], /cut\.safetensors/],
  [['no v'], /no tensor called v/],
  [['misfit'], /do not fit each other/],
  [['right.safetensors', '--heads', '0'], /--heads/],
  [['right.safetensors', '--heads', '7'], /7 heads do not fit|7 heads/],
  [['right.safetensors', '--heads', 'many'], /--heads/],
  [['right.safetensors', '--causal', '--not-causal'], /opposite/],
  [['right.safetensors', '--axes', 'dhtb'], /--axes/],
  [['right.safetensors', '--scale', 'nan'], /scale/],
  [['right.safetensors', '--colour'], /--colour/],
  [['right.safetensors', '--svg', 'nowhere/at all.svg'], /nowhere\/at all\.svg/],
  [['right.safetensors', '--output', 'x.npz'], /--output belongs to --example/],
  [['right.safetensors', '--type', 'float8'], /float16, bfloat16/],
  [['right.safetensors', '--example', 'right'], /--example diagnoses no file, so FILE/],
  [['--example', 'right', '--heads', '3'], /so --heads has no effect/],
  [['--examples', '--json'], /--examples diagnoses no file, so --json/],
  [['--example', 'no-such-bug'], /no-such-bug/],
  [['--example', 'no-scale+sqrt-d-model'], /no-scale\+sqrt-d-model/],
  [['--example', 'averaged-maps'], /averaged-maps/],
  [['--example', 'right', '--type', 'float8'], /float16, bfloat16/],
  [['--example', 'right', '--output', 'nowhere/x.safetensors'], /nowhere/],
];
for (const [words, told] of refused) {
  test(`refused with one clear line: diagnose ${words.join(' ')}`, () => {
    const { status, err } = diagnose(...words);
    assert.equal(status, 1, err);
    assert.match(err, told);
    assert.match(err, /^diagnose: [^\n]+\n$/, 'one line');
  });
}
