// What stands beside the pages: style, script, icon and fonts.

import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';
import { hash, writeFile } from './files.mjs';

const FONTS = {
  'source-serif-4': ['400-normal', '400-italic', '600-normal'],
  'source-code-pro': ['400-normal'],
};

// Every page can use these letters without the fonts being cut again.
const ALWAYS = `${Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).join('')}`
  + ' §°±·×éöü–—‘’“”…−→';

/** The few lines of script that run before the page is painted. */
export function readEarlyScript(project) {
  const text = fs.readFileSync(path.join(project, 'book/theme/early.js'), 'utf8');
  return withoutComments(text).replace(/\n/g, ' ').trim();
}

/** Copies styles, scripts and icon into `out`; gives their names. */
export function copyTheme(project, out) {
  const theme = path.join(project, 'book/theme');
  fs.copyFileSync(path.join(theme, 'icon.svg'), path.join(out, 'icon.svg'));
  for (const name of ['theme.js', 'exercises.js']) {
    const script = fs.readFileSync(path.join(theme, name), 'utf8');
    fs.writeFileSync(path.join(out, name), withoutComments(script));
  }
  for (const name of ['theme.css', 'reference.css']) {
    const style = fs.readFileSync(path.join(theme, name), 'utf8');
    fs.writeFileSync(path.join(out, name), withoutSpace(style));
  }
  return ['theme.js', 'exercises.js', 'icon.svg', 'theme.css', 'reference.css'];
}

/** A script without its comment lines and indentation. */
function withoutComments(script) {
  return script.replace(/\/\*\*[\s\S]*?\*\/\n/g, '').replace(/^\s*\/\/.*\n/gm, '').replace(/\n\s*/g, '\n').trimStart();
}

/** A style sheet without its comments and spare white space. */
function withoutSpace(style) {
  return style.replace(/\/\*[\s\S]*?\*\//g, '').replace(/\s+/g, ' ')
    .replace(/ ?([{};,>]) ?/g, '$1').replace(/: /g, ':').replace(/;\}/g, '}').trim();
}

/**
 * Writes the fonts into `out`/fonts, cut to the letters the pages use; gives
 * their names. A cut font is kept in `cache`: cutting takes a second.
 */
export async function makeFonts(texts, cache, out) {
  const letters = [...new Set(ALWAYS + texts.join(''))].filter((letter) => letter > ' ').sort().join('') + ' ';
  const require = createRequire(import.meta.url);
  const names = [];
  fs.mkdirSync(path.join(out, 'fonts'), { recursive: true });
  for (const [family, faces] of Object.entries(FONTS)) {
    const folder = path.dirname(require.resolve(`@fontsource/${family}/package.json`));
    for (const face of faces) {
      const font = fs.readFileSync(path.join(folder, 'files', `${family}-latin-${face}.woff2`));
      const name = `fonts/${family}-${face}.woff2`;
      // eslint-disable-next-line no-await-in-loop
      fs.copyFileSync(await cutFont(font, letters, cache), path.join(out, name));
      names.push(name);
    }
    const license = `fonts/${family}-license.txt`;
    fs.copyFileSync(path.join(folder, 'LICENSE'), path.join(out, license));
    names.push(license);
  }
  return names;
}

async function cutFont(font, letters, cache) {
  const file = path.join(cache, `${hash(font, letters).slice(0, 32)}.woff2`);
  if (!fs.existsSync(file)) {
    const { default: cut } = await import('subset-font');
    writeFile(file, await cut(font, letters, { targetFormat: 'woff2' }));
  }
  return file;
}
