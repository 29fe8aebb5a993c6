// The book's faces, cut to the letters its pages use.

import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';
import { hash, writeFile } from './files.mjs';

const FACES = {
  'source-serif-4': ['400-normal', '400-italic', '600-normal'],
  'source-code-pro': ['400-normal'],
};

// Every page can use these letters without the fonts being cut again.
const ALWAYS = `${Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).join('')}`
  + ' §°±·×éöü–—‘’“”…−→';

// What a browser does without being asked. Small capitals, old figures and the
// like stay behind: no style asks for them, and they are a sixth of a face.
const FEATURES = ['kern', 'liga', 'clig', 'calt', 'rlig', 'ccmp', 'locl', 'mark', 'mkmk'];

const require = createRequire(import.meta.url);

/**
 * Writes the fonts into `out`/fonts; gives their names. A cut font is kept in
 * `cache`: cutting takes a second.
 */
export async function makeFonts(texts, cache, out) {
  const letters = [...new Set(ALWAYS + texts.join(''))].filter((letter) => letter > ' ').sort().join('') + ' ';
  const names = [];
  fs.mkdirSync(path.join(out, 'fonts'), { recursive: true });
  for (const [family, faces] of Object.entries(FACES)) {
    const folder = path.dirname(require.resolve(`@fontsource/${family}/package.json`));
    for (const face of faces) {
      const font = fs.readFileSync(path.join(folder, 'files', `${family}-latin-${face}.woff2`));
      const name = `fonts/${family}-${face}.woff2`;
      // eslint-disable-next-line no-await-in-loop
      fs.copyFileSync(await kept(font, letters, cache), path.join(out, name));
      names.push(name);
    }
    const license = `fonts/${family}-license.txt`;
    fs.copyFileSync(path.join(folder, 'LICENSE'), path.join(out, license));
    names.push(license);
  }
  return names;
}

/** The cut font's file in `cache`, made when it is not there. */
async function kept(font, letters, cache) {
  const file = path.join(cache, `${hash(font, letters, FEATURES.join()).slice(0, 32)}.woff2`);
  if (!fs.existsSync(file)) writeFile(file, await cut(font, letters));
  return file;
}

// Two of HarfBuzz's sets, as hb-subset.h numbers them.
const LAYOUT_FEATURES = 6;
const WRITABLE = 2;

/** A WOFF2 font with these letters alone, by HarfBuzz. */
async function cut(font, letters) {
  const fontverter = require('fontverter');
  const whole = await fontverter.convert(font, 'truetype');
  const hb = await loadHarfBuzz();
  const at = hb.malloc(whole.byteLength);
  new Uint8Array(hb.memory.buffer).set(whole, at);
  const blob = hb.hb_blob_create(at, whole.byteLength, WRITABLE, 0, 0);
  const face = hb.hb_face_create(blob, 0);
  const wanted = hb.hb_subset_input_create_or_fail();
  const features = hb.hb_subset_input_set(wanted, LAYOUT_FEATURES);
  hb.hb_set_clear(features);
  for (const name of FEATURES) hb.hb_set_add(features, tag(name));
  const characters = hb.hb_subset_input_unicode_set(wanted);
  for (const letter of letters) hb.hb_set_add(characters, letter.codePointAt(0));
  const small = hb.hb_subset_or_fail(face, wanted);
  if (!small) throw new Error('HarfBuzz could not cut a font; install the packages of src/weave again with `npm ci`');
  const result = hb.hb_face_reference_blob(small);
  const bytes = new Uint8Array(hb.memory.buffer, hb.hb_blob_get_data(result, 0), hb.hb_blob_get_length(result));
  return fontverter.convert(Buffer.from(bytes), 'woff2', 'truetype');
}

/** HarfBuzz anew for each face, so that nothing of the last one has to be freed. */
async function loadHarfBuzz() {
  const program = fs.readFileSync(require.resolve('harfbuzzjs/hb-subset.wasm'));
  const { instance } = await WebAssembly.instantiate(program);
  return instance.exports;
}

/** A feature's name as HarfBuzz takes it: its four letters, one a byte. */
const tag = (name) => [...name].reduce((sum, letter) => (sum << 8) + letter.charCodeAt(0), 0);
