// The figures' colours differ for readers who see two of the three primary
// colours: simulated after Machado, Oliveira and Fernandes, "A Physiologically-based
// Model for Simulation of Color Vision Deficiency" (IEEE TVCG 15, 2009), table 1.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';

const EYES = {
  protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  tritanopia: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
  'all three colours': [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
};
const APART = 12;   // in CIE's Lab: about 2 can just be told apart, side by side
// Lesser words, grids and a third line, which is dotted, are --quiet: not told
// by their colour.
const TOLD_APART = ['paper', 'ink', 'heat', 'mark'];

/** Each set of the theme's colours: by day, by night (twice), in print. */
function palettes() {
  const css = fs.readFileSync(new URL('../../book/theme/theme.css', import.meta.url), 'utf8');
  return [...css.matchAll(/\{([^{}]*--paper:[^{}]*)\}/g)].map(([, body]) =>
    Object.fromEntries([...body.matchAll(/--([\w-]+):\s*(#[0-9a-f]+)/g)].map(([, name, hex]) => [name, hex])));
}

/** Linear red, green and blue, 0 to 1. */
function light(hex) {
  const digits = hex.slice(1).replace(/^(.)(.)(.)$/, '$1$1$2$2$3$3');
  return [0, 2, 4].map((at) => parseInt(digits.slice(at, at + 2), 16) / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
}

const times = (matrix, vector) => matrix.map((row) => row.reduce((sum, m, i) => sum + m * vector[i], 0));

/** CIE's Lab of linear sRGB, in daylight. */
function lab(rgb) {
  const xyz = times([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]],
    rgb.map((c) => Math.min(Math.max(c, 0), 1)));
  const [x, y, z] = [0.9505, 1, 1.089].map((white, i) => xyz[i] / white)
    .map((t) => (t > 216 / 24389 ? Math.cbrt(t) : (24389 / 27 * t + 16) / 116));
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

const difference = (a, b, eye) => {
  const [p, q] = [a, b].map((hex) => lab(times(EYES[eye], light(hex))));
  return Math.hypot(...p.map((c, i) => c - q[i]));
};

test('the theme has colours by day, by night and in print', () => {
  assert.equal(palettes().length, 4);
  for (const palette of palettes()) for (const name of TOLD_APART) assert.match(palette[name] ?? '', /^#/, name);
});

for (const eye of Object.keys(EYES)) {
  test(`the colours of figures are apart for eyes with ${eye}`, () => {
    for (const palette of palettes()) {
      TOLD_APART.forEach((one, i) => TOLD_APART.slice(i + 1).forEach((other) => {
        const apart = difference(palette[one], palette[other], eye);
        assert.ok(apart >= APART, `--${one} ${palette[one]} and --${other} ${palette[other]}: ${apart.toFixed(1)}`);
      }));
    }
  });
}

test('colours that differ in red alone are one colour to some eyes', () => {
  assert.ok(difference('#a02020', '#506a1c', 'deuteranopia') < difference('#a02020', '#506a1c', 'all three colours') / 2);
});
