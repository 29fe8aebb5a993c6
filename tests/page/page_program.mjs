// A chapter's program as it lies beside the pages, run in Node.

import fs from 'node:fs';
import path from 'node:path';
import vm from 'node:vm';
import { oneRun } from '../../src/weave/run/one_run.mjs';
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

/** A program as it was compiled, of no chapter: a function that runs it. */
export function readProgram(file) {
  const create = vm.runInThisContext(`(function () {${fs.readFileSync(file, 'utf8')}; return createProgram;})`)();
  return (args) => run(create, [], args);
}

async function run(create, files, args) {
  const lines = [];
  const complaints = [];
  const ended = await oneRun(create, files, args, (line) => lines.push(line), (line) => complaints.push(line));
  return { ...ended, stdout: lines.map((line) => `${line}\n`).join(''), stderr: complaints.join('\n') };
}
