// What stands beside the pages: style, script and icon.

import fs from 'node:fs';
import path from 'node:path';

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
