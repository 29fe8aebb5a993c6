// What stands beside the pages: style, scripts and icon, in few bytes.

import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const require = createRequire(import.meta.url);
const SCRIPTS = ['theme.js', 'exercises.js'];
const BUNDLES = { 'search.js': 'search/search_box.mjs', 'live.js': 'live.mjs' };

/** The few lines of script that run before the page is painted. */
export function readEarlyScript(project) {
  return bundled(path.join(project, 'book/theme/early.js')).trim();
}

/** Puts styles, scripts and icon into `out`; gives their names. */
export function copyTheme(project, out) {
  const theme = path.join(project, 'book/theme');
  fs.copyFileSync(path.join(theme, 'icon.svg'), path.join(out, 'icon.svg'));
  for (const name of SCRIPTS) {
    fs.writeFileSync(path.join(out, name), bundled(path.join(theme, name)));
  }
  for (const name of ['theme.css', 'reference.css']) {
    fs.writeFileSync(path.join(out, name), withoutSpace(fs.readFileSync(path.join(theme, name), 'utf8')));
  }
  for (const [name, source] of Object.entries(BUNDLES)) {
    fs.writeFileSync(path.join(out, name), bundled(path.join(HERE, source)));
  }
  fs.copyFileSync(path.join(HERE, 'node_modules/minisearch/LICENSE.txt'), path.join(out, 'search-license.txt'));
  return ['icon.svg', ...SCRIPTS, ...Object.keys(BUNDLES), 'theme.css', 'reference.css', 'search-license.txt'];
}

/** A script with all that it imports, without what only its writer needs. */
function bundled(file) {
  const { outputFiles: [{ text }] } = require('esbuild').buildSync({
    entryPoints: [file], bundle: true, minify: true, write: false, charset: 'utf8', logLevel: 'silent',
    format: 'iife', target: ['chrome111', 'firefox113', 'safari16.4'],
    loader: { '.css': 'text' },
  });
  return text;
}

/** A style sheet without its comments and spare white space. */
function withoutSpace(style) {
  return style.replace(/\/\*[\s\S]*?\*\//g, '').replace(/\s+/g, ' ')
    .replace(/ ?([{};,>]) ?/g, '$1').replace(/: /g, ':').replace(/;\}/g, '}').trim();
}
