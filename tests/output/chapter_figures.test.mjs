// A chapter's figures from the outside. MHA_PROGRAM names its program.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';

const executable = process.env.MHA_PROGRAM;
assert.ok(executable, 'set MHA_PROGRAM to a program in build/…/chapters/');
const name = basename(executable);
const run = (...options) => spawnSync(executable, options, { encoding: 'utf8' });

let folder;
before(() => { folder = mkdtempSync(join(tmpdir(), 'chapter_figures_')); });
after(() => rmSync(folder, { recursive: true }));

test('writes every figure, with a title and a description', () => {
  const figures = figureNames(run('--help').stdout);
  assert.ok(figures.length > 0);
  for (const figure of figures) {
    const file = join(folder, `${name}.svg`);
    assert.equal(run('--svg', file, '--figure', figure).status, 0);
    const svg = readFileSync(file, 'utf8');
    assert.match(svg, /^<svg [^>]*>\n<title>[^<]+<\/title>\n<desc>[^<]+<\/desc>\n/);
    assert.match(svg, /<\/svg>\n$/);
  }
});

test('writes its first figure when none is named', () => {
  const [first] = figureNames(run('--help').stdout);
  const [unnamed, named] = ['unnamed.svg', 'named.svg'].map((f) => join(folder, f));
  run('--svg', unnamed);
  run('--svg', named, '--figure', first);
  assert.equal(readFileSync(unnamed, 'utf8'), readFileSync(named, 'utf8'));
});

// "--figure TEXT:{maps,walk} Needs: --svg"
function figureNames(help) {
  return help.match(/--figure TEXT:\{([^}]*)\}/)[1].split(',');
}
