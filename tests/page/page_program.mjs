// A chapter's program as it lies beside the pages, run in Node.

import fs from 'node:fs';
import path from 'node:path';
import vm from 'node:vm';
import { BOOK } from './open_book.mjs';

globalThis.self ??= { location: new URL('about:blank') };   // it was made for a worker

/** The programs that lie there. */
export const PAGE_PROGRAMS = fs.existsSync(path.join(BOOK, 'programs'))
  ? fs.readdirSync(path.join(BOOK, 'programs')).filter((name) => !/_\d+\.js$/.test(name)).map((name) => name.replace(/\.js$/, '')).sort()
  : [];

/** Reads one: its options, and a function that runs it as the page would. */
export function readPageProgram(name) {
  let handed;
  runScript(`programs/${name}.js`, { manyHeadsProgram: (description, code) => { handed = { ...description, code }; } });
  const create = handed.code();
  const files = handed.data.map(({ script, file }) => {
    let bytes;
    runScript(script, { manyHeadsData: (_, text) => { bytes = Buffer.from(text, 'base64'); } });
    return { file, bytes };
  });
  return { name, options: handed.options, run: (args) => run(create, files, args) };
}

function runScript(name, globals) {
  const code = fs.readFileSync(path.join(BOOK, name), 'utf8');
  vm.runInThisContext(`(function (${Object.keys(globals).join(', ')}) {${code}\n})`)(...Object.values(globals));
}

/** One run with a fresh program; null in `args` stands for a file to write. */
async function run(create, files, args) {
  const lines = [];
  const complaints = [];
  const program = await create({
    print: (line) => lines.push(line), printErr: (line) => complaints.push(line),
    quit: (_, unwind) => { throw unwind; },
  });
  if (files.length) program.FS.mkdir('/data');
  for (const { file, bytes } of files) program.FS.writeFile(`/data/${file}`, bytes);
  const status = program.callMain(args.map((arg) => (arg === null ? '/written' : arg)));
  const written = status === 0 && args.includes(null) ? program.FS.readFile('/written', { encoding: 'utf8' }) : undefined;
  return { status, stdout: lines.map((line) => `${line}\n`).join(''), stderr: complaints.join('\n'), written };
}
