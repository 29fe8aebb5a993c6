// A chapter's program in the page: its script is loaded when it is first asked
// for, and runs in a worker, so that the page stays usable and a run can be
// stopped. A page opened from a folder may start no worker from a file, but one
// from text of its own.

import { oneRun } from './one_run.mjs';

const programs = new Map();   // name -> promise of {options, source}
const arrivals = new Map();   // name -> what to call when its script has run

/** Each program's script calls this: its options, and a function around its code. */
globalThis.manyHeadsProgram = (description, code) => {
  arrivals.get(description.name)?.({ ...description, source: String(code) });
};

/** Each file of data is a script that calls this: its name, and its bytes in base64. */
globalThis.manyHeadsData = (script, text) => {
  arrivals.get(script)?.(text);
};

/** Loads the program of that name with its data, once. `onPart` hears how much of the data is there. */
export function loadProgram(name, onPart = () => {}) {
  if (!programs.has(name)) {
    const loading = loadWithData(name, onPart);
    loading.catch(() => programs.delete(name));   // it may be tried again
    programs.set(name, loading);
  }
  return programs.get(name);
}

async function loadWithData(name, onPart) {
  const program = await loadScript(`programs/${name}.js`, name);
  const whole = program.data.reduce((sum, { bytes }) => sum + bytes, 0);
  const files = [];
  let there = 0;
  for (const { script, file, bytes } of program.data) {
    onPart(there / whole);
    // One after the other, so that what is said of it is true.
    // eslint-disable-next-line no-await-in-loop
    files.push({ file, bytes: bytesOf(await loadScript(script, script)) });
    there += bytes;
  }
  return { ...program, files };
}

/** Runs a script beside the pages; gives what it hands over under `key`. */
function loadScript(place, key) {
  return new Promise((done, fail) => {
    const script = document.createElement('script');
    const end = (settle, value) => {
      arrivals.delete(key);
      script.remove();
      settle(value);
    };
    arrivals.set(key, (value) => end(done, value));
    script.addEventListener('error', () => end(fail, new Error(
      `${place} is missing beside this page, or cannot be read; make the book again`)));
    script.src = place;
    document.head.append(script);
  });
}

const bytesOf = (base64) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));

/** What the worker does. */
function work(makeProgram, runOnce) {
  const create = makeProgram();
  let kept = [];
  onmessage = async ({ data: { run, args, files } }) => {
    if (files) kept = files;
    let lines = [];
    let sent = Date.now();
    const send = (rest) => {
      postMessage({ run, lines, ...rest });
      lines = [];
      sent = Date.now();
    };
    const say = (line) => {
      lines.push(line);
      if (Date.now() - sent > 200) send({});
    };
    const complaints = [];
    try {
      const { status, written } = await runOnce(create, kept, args.concat(args[0] === '--test' ? '--no-colors' : []),
        say, (line) => complaints.push(line));
      send({ ended: true, status, complaints, written });
    } catch (error) {
      send({ ended: true, status: -1, complaints: [`the program stopped: ${error?.message ?? error}`] });
    }
  };
}

/** One program's worker. Runs wait for each other. */
export class PageProgram {
  #source;
  #files;
  #worker = null;
  #before = Promise.resolve();
  #listen = null;
  #runs = 0;

  constructor({ source, files }) {
    this.#source = source;
    this.#files = files;
  }

  /**
   * Runs it with `args`, where null stands for a file to write. Gives its exit
   * status, what it printed, what it complained of, and what it wrote; null when
   * it was stopped. `onLines` gets lines as they come.
   */
  run(args, onLines = () => {}) {
    const result = this.#before.then(() => this.#start(args, onLines));
    this.#before = result.catch(() => {});
    return result;
  }

  /** Ends what is running; what waits behind it goes on. */
  stop() {
    this.#worker?.terminate();
    this.#worker = null;
    this.#listen?.(null);
  }

  #start(args, onLines) {
    const files = this.#worker ? undefined : this.#files;
    this.#worker ??= this.#begin();
    this.#runs += 1;
    const run = this.#runs;
    const lines = [];
    return new Promise((done) => {
      this.#listen = (data) => {
        if (data && data.run !== run) return;
        if (data) lines.push(...data.lines);
        if (!data) done(null);
        else if (data.ended) done({ status: data.status, text: lines.map((line) => `${line}\n`).join(''), complaints: data.complaints, written: data.written });
        else onLines(lines);
      };
      this.#worker.postMessage({ run, args, files });
    });
  }

  #begin() {
    const text = `(${work})(${this.#source},${oneRun})`;
    const url = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
    const worker = new Worker(url);
    worker.addEventListener('message', ({ data }) => this.#listen?.(data));
    worker.addEventListener('error', (event) => {
      event.preventDefault();
      this.#listen?.({ run: this.#runs, lines: [], ended: true, status: -1, complaints: [`the program cannot start: ${event.message}`] });
      worker.terminate();
      this.#worker = null;
    });
    return worker;
  }
}
