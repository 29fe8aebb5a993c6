// Runs the chapter programs and keeps what each run gave, under the hash of
// the executable and the arguments: the same run is never made twice.

import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { hash, readJson, readText, writeFile } from './files.mjs';
import { readClaims } from './program_text.mjs';

const LONGEST_RUN_MS = 10 * 60 * 1000;
const LARGEST_OUTPUT = 64 * 1024 * 1024;
const FILE = '%FILE%';
const NOT_FETCHED = 77;

/** The program's data was not fetched; the message is what the program said. */
export class NotFetched extends Error {}

/** The list CMake wrote, with each executable's hash. */
export function readPrograms(file) {
  const programs = readJson(file, null);
  if (!Array.isArray(programs)) {
    throw new Error('no list of programs there; build the programs first, which writes it');
  }
  return programs.map((program) => {
    const files = [program.executable, program.page].filter(Boolean);
    for (const needed of files) {
      if (!fs.existsSync(needed)) throw new Error(`the program ${program.name} is not built (no ${needed}); build it first`);
    }
    const [own, page = ''] = files.map((needed) => hash(fs.readFileSync(needed)));
    return { ...program, hash: own, pageHash: page };
  });
}

/** Makes runs, two at a time, each once. */
export class Runs {
  #cache;
  #made = new Map();
  #busy = 0;
  #waiting = [];

  constructor(cacheFolder) {
    this.#cache = cacheFolder;
  }

  /** What the program printed. */
  async output(program, options = []) {
    return (await this.#run(program, options)).stdout;
  }

  /** The values it wrote: name -> {number, text}. */
  async values(program) {
    const { written } = await this.#run(program, ['--values', FILE]);
    return parsed(written, `${program.name} --values wrote no valid JSON`);
  }

  /** One of its figures as SVG; the first when no name is given. */
  async figure(program, name, options = []) {
    const asked = name ? ['--figure', name] : [];
    return (await this.#run(program, [...options, '--svg', FILE, ...asked])).written;
  }

  /** Its claims: sentence -> {held, failed, fileName, line}. A failed claim is no error here. */
  async claims(program) {
    const run = await this.#run(program, ['--test', '-r=xml'], [0, 1]);
    const claims = readClaims(run.stdout);
    if (!/<\/doctest>/.test(run.stdout)) {
      throw new Error(`${program.name} --test stopped before its report ended; run it to see why`);
    }
    return claims;
  }

  async #run(program, args, accepted = [0]) {
    const key = hash(program.hash, JSON.stringify(args));
    if (!this.#made.has(key)) this.#made.set(key, this.#cachedRun(program, args, accepted, key));
    return this.#made.get(key);
  }

  /** One that lacked its data is made again next time. */
  async #cachedRun(program, args, accepted, key) {
    const file = path.join(this.#cache, `${program.name}-${key.slice(0, 32)}.json`);
    const kept = readJson(file, null);
    if (kept) return kept;
    const run = await this.#queued(() => execute(program, args, accepted));
    writeFile(file, JSON.stringify(run));
    return run;
  }

  async #queued(work) {
    if (this.#busy >= os.cpus().length) await new Promise((go) => { this.#waiting.push(go); });
    else this.#busy += 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#busy -= 1;
    }
  }
}

/** Runs once; throws one sentence when the exit status is not an accepted one. */
async function execute(program, args, accepted) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'many-heads-'));
  const written = path.join(folder, 'written');
  const real = args.map((arg) => (arg === FILE ? written : arg));
  try {
    const run = await start(program.executable, real, folder);
    if (run.status === NOT_FETCHED) throw new NotFetched(run.stderr.trim().split('\n').pop());
    if (!accepted.includes(run.status)) {
      const command = [program.name, ...args.map((arg) => (arg === FILE ? 'FILE' : arg))].join(' ');
      const said = run.stderr.trim().split('\n').pop();
      throw new Error(`\`${command}\` ended with status ${run.status}`
        + `${said ? `, saying "${said}"` : ''}; run it by hand to see why`);
    }
    if (!args.includes(FILE)) return { stdout: run.stdout };
    if (!fs.existsSync(written)) throw new Error(`${program.name} ${args[0]} wrote no file`);
    return { written: readText(written) };
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

function start(executable, args, cwd) {
  const options = {
    cwd, timeout: LONGEST_RUN_MS, maxBuffer: LARGEST_OUTPUT,
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
  };
  return new Promise((done) => {
    execFile(executable, args, options, (error, stdout, stderr) => {
      done({ status: error ? error.code ?? error.signal : 0, stdout, stderr: stderr || error?.message || '' });
    });
  });
}

function parsed(text, otherwise) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(otherwise);
  }
}
