// The chapters' programs for the page: compiled to WebAssembly, each in a script
// of its own beside the pages, which is loaded when a reader runs it.

import fs from 'node:fs';
import path from 'node:path';
import { escape } from './html.mjs';

const FOLDER = 'programs';

/** Whether the program can run in the page: it was compiled for it, and its data is there. */
export const runsInPage = (program) => Boolean(program.page) && (!program.data || dataFiles(program).length > 0);

/** The files that a program reads, which come to the page with it. */
function dataFiles({ data }) {
  if (!data || !fs.existsSync(data)) return [];
  return fs.readdirSync(data).filter((name) => !/\.(?:js|ts)$/.test(name)).sort();
}

/** The attributes of what a run in the page can replace; of a figure, its name. */
export function pageRun(program, options, figure) {
  if (!runsInPage(program)) return '';
  const megabytes = dataFiles(program).reduce((sum, file) => sum + fs.statSync(path.join(program.data, file)).size, 0) / 1e6;
  const given = {
    program: program.name, megabytes: megabytes ? Math.round(megabytes) : undefined,
    options: options.length ? JSON.stringify(options) : undefined, figure,
  };
  return Object.entries(given).filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` data-${name}="${escape(value)}"`).join('');
}

/** Puts the programs into `out`; gives their names. */
export async function writePagePrograms(book, out) {
  const programs = book.programs.filter(runsInPage);
  if (programs.length === 0) return [];
  fs.mkdirSync(path.join(out, FOLDER));
  return Promise.all(programs.map(async (program) => {
    const name = `${FOLDER}/${program.name}.js`;
    const { options } = JSON.parse(await book.runs.output(program, ['--describe']));
    const data = writeData(program, out);
    fs.writeFileSync(path.join(out, name), `manyHeadsProgram(${JSON.stringify({ name: program.name, number: program.number, options, data })},function(){`
      + `${fs.readFileSync(program.page, 'utf8')};return createProgram})\n`);
    return [name, ...data.map(({ script }) => script)];
  })).then((names) => names.flat());
}

/** A page opened from a folder can read no file but scripts: each file of data becomes one. */
function writeData(program, out) {
  return dataFiles(program).map((file, i) => {
    const script = `${FOLDER}/${program.name}_${i + 1}.js`;
    const bytes = fs.readFileSync(path.join(program.data, file));
    fs.writeFileSync(path.join(out, script), `manyHeadsData(${JSON.stringify(script)},"${bytes.toString('base64')}")\n`);
    return { script, file, bytes: bytes.length };
  });
}

