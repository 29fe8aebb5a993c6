// Compiles a file of kernels to WebAssembly, where a call tells nobody where it
// returns to: node mark_sites.mjs COMPILER ARGUMENTS...
// In the compiler's intermediate text, every call to the device gets its place
// in the source before it, and the shared variables are listed.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

// Calls that touch memory: the compiler's hooks, copies, and CUDA's words that
// report their accesses themselves.
const HOOK = /\bcall\b[^@]*@(__tsan_\w+|memcpy|memmove|memset|_ZN13on_cpu_device(?:\d+atomic\w+|5load4|6store4)\w+)\(/;
const COPY = /@(memcpy|memmove|memset)\(/g;

/** The text of a module's numbered metadata: "12" -> "!DILocation(…)". */
function readMetadata(lines) {
  const all = new Map();
  for (const line of lines) {
    const found = line.match(/^!(\d+) = (.*)$/);
    if (found) all.set(found[1], found[2]);
  }
  return all;
}

const field = (text, name) => text?.match(new RegExp(`\\b${name}: (?:"([^"]*)"|!?(\\w+))`))?.slice(1).find((value) => value !== undefined);

const fileName = (path) => path.replace(/^.*\//, '');

/** The file that a scope stands in. */
function fileOf(metadata, scope) {
  for (let text = metadata.get(scope); text; text = metadata.get(field(text, 'scope'))) {
    const file = field(text, 'file');
    if (file) return field(metadata.get(file), 'filename');
  }
  return undefined;
}

/** The innermost line in a .cu file of the calls that led to a place; else the innermost. */
function lineOf(metadata, location) {
  let first;
  for (let text = metadata.get(location); text; text = metadata.get(field(text, 'inlinedAt'))) {
    const file = fileOf(metadata, field(text, 'scope'));
    if (!file) continue;
    const line = { file: fileName(file), line: Number(field(text, 'line') ?? 0) };
    if (file.endsWith('.cu')) return line;
    first ??= line;
  }
  return first ?? { file: '', line: 0 };
}

const bytes = (text) => `c"${[...Buffer.from(`${text}\0`)].map((byte) => `\\${byte.toString(16).padStart(2, '0').toUpperCase()}`).join('')}"`;

/** Definitions of constants, each text once. */
class Constants {
  lines = [];
  #texts = new Map();
  #sites = new Map();

  text(text) {
    const size = Buffer.byteLength(text) + 1;
    if (!this.#texts.has(text)) {
      const name = `@mha.text.${this.#texts.size}`;
      this.lines.push(`${name} = private constant [${size} x i8] ${bytes(text)}`);
      this.#texts.set(text, `i8* getelementptr ([${size} x i8], [${size} x i8]* ${name}, i32 0, i32 0)`);
    }
    return this.#texts.get(text);
  }

  /** A site of its own for each call, though others may share its line. */
  site({ file, line }, number) {
    const name = `@mha.site.${number}`;
    this.lines.push(`${name} = private constant { i8*, i32 } { ${this.text(file)}, i32 ${line} }`);
    return `i8* bitcast ({ i8*, i32 }* ${name} to i8*)`;
  }
}

/** The type of an array's elements. */
function elementType(type) {
  let text = type;
  for (let found; (found = text.match(/^\[\d+ x (.*)\]$/));) [, text] = found;
  return text;
}

const sizeOf = (type) => `i32 ptrtoint (${type}* getelementptr (${type}, ${type}* null, i32 1) to i32)`;

/** A global's type, which the text begins with. */
function leadingType(text) {
  let depth = 0;
  for (let i = 0; i < text.length; i += 1) {
    if ('[{(<'.includes(text[i])) depth += 1;
    else if (']})>'.includes(text[i])) depth -= 1;
    else if (depth === 0 && /[\s,]/.test(text[i])) return text.slice(0, i);
  }
  return text;
}

/** The variables, or the constants, that a module defines: symbol, type, number of its metadata. */
function globals(lines, kind) {
  return lines.flatMap((line) => {
    const found = line.match(/^(@(?!llvm\.)\S+) = (?!external )[\w() ]*?\b(global|constant) (.*)$/);
    if (found?.[2] !== kind) return [];
    return [{ symbol: found[1], type: leadingType(found[3]), debug: found[3].match(/!dbg !(\d+)/)?.[1] }];
  });
}

const VARIABLE = '{ i8*, i32, i32, i8* }';

/**
 * What hands the device, before the program begins, a list of what the kernels
 * may touch besides buffers: the static variables in functions of their
 * namespace, which are shared memory, and, nameless, the constants.
 */
function listVariables(lines, metadata, constants) {
  const row = ({ symbol, type }, name) => `${VARIABLE} { i8* bitcast (${type}* ${symbol} to i8*), `
    + `${sizeOf(type)}, ${sizeOf(elementType(type))}, ${name} }`;
  const shared = globals(lines, 'global').filter(({ symbol }) => symbol.startsWith('@_ZZN13on_cpu_device'));
  const rows = [
    ...shared.map((one) => row(one, constants.text(field(metadata.get(field(metadata.get(one.debug), 'var')), 'name')))),
    ...globals(lines, 'constant').map((one) => row(one, 'i8* null')),
  ];
  const all = `[${rows.length} x ${VARIABLE}]`;
  return [`@mha.variables = private constant ${all} [${rows.join(', ')}]`,
    'declare void @mha_list_variables(i8*, i32)',
    'define internal void @mha.list_variables() {',
    `  call void @mha_list_variables(i8* bitcast (${all}* @mha.variables to i8*), i32 ${rows.length})`,
    '  ret void', '}'];
}

const symbolOf = (definition) => definition.match(/@[^(]+/)[0];

/**
 * The symbols of the functions that are parts of kernels: those that the source
 * marks so (cuda_words.hpp), and what is defined inside of them. Elsewhere hooks
 * have nothing to say, and Asyncify would prepare all their callers for a pause.
 */
function partsOfKernels(lines) {
  const marks = lines.filter((line) => / constant .* c"kernel\\00"/.test(line)).map((line) => line.split(' ')[0]);
  const list = lines.find((line) => line.startsWith('@llvm.global.annotations = ')) ?? '';
  const marked = [...list.matchAll(/bitcast \([^@]*(@[^ ]+) to i8\*\), i8\* getelementptr[^@]*(@[^,]+),/g)]
    .filter(([, , mark]) => marks.includes(mark)).map(([, symbol]) => symbol);
  const inside = (symbol) => marked.some((outer) => symbol.startsWith(`@_Z${outer.slice(2)}`));
  const defined = lines.filter((line) => line.startsWith('define ')).map(symbolOf);
  return new Set([...marked, ...defined.filter(inside)]);
}

/** Asyncify cannot pause a function that has something to do when an exception passes. */
function refuseUnpausable(lines, parts, metadata) {
  for (const line of lines.filter((one) => one.startsWith('define ') && one.includes(' personality '))) {
    if (!parts.has(symbolOf(line))) continue;
    const number = line.match(/!dbg !(\d+)/)?.[1];
    const text = metadata.get(number);
    throw new Error(`${fileName(fileOf(metadata, number) ?? '')}:${field(text, 'line')}: ${field(text, 'name')} keeps an object that has a destructor, `
      + 'or catches an exception; in a page a thread cannot wait in it. Destroy nothing in a kernel.');
  }
}

/** Without the marks, which are no constants of the kernels. */
const withoutMarks = (lines) => lines.filter((line) => !line.startsWith('@llvm.global.annotations = ')
  && !/ constant .*section "llvm\.metadata"/.test(line));

/** The same module, with its sites and shared variables in it. */
export function markSites(text) {
  const marks = text.split('\n');
  const metadata = readMetadata(marks);
  const parts = partsOfKernels(marks);
  refuseUnpausable(marks, parts, metadata);
  const lines = withoutMarks(marks);
  const constants = new Constants();
  const list = listVariables(lines, metadata, constants);
  let sites = 0;
  let location;
  let watched = false;
  const marked = lines.flatMap((line) => {
    if (line.startsWith('define ')) {
      location = undefined;
      watched = parts.has(symbolOf(line));
    }
    location = line.match(/!dbg !(\d+)/)?.[1] ?? location;
    // The thread sanitizer would begin there; its library is not linked.
    if (/^@llvm\.(?:used|global_ctors) = /.test(line)) return [line.replaceAll('@tsan.module_ctor', '@mha.list_variables')];
    const hook = line.match(HOOK);
    if (!line.startsWith(' ') || !hook) return [line];
    if (!watched) return line.startsWith('  call void @__tsan_') ? [] : [line];
    sites += 1;
    const site = constants.site(lineOf(metadata, location), sites);
    return [`  store ${site}, i8** @mha_call_site`, line.replace(COPY, '@__wrap_$1(')];
  });
  const declared = marked.flatMap((line) => [...new Set([line, line.startsWith('declare ') ? line.replace(COPY, '@__wrap_$1(') : line])]);
  const first = declared.findIndex((line) => /^(?:@|define |declare )/.test(line));
  declared.splice(first, 0, '@mha_call_site = external global i8*', ...constants.lines, ...list);
  return declared.join('\n');
}

function run(command) {
  const { status } = spawnSync(command[0], command.slice(1), { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

/** Compiles with marks; a command without -o is passed on as it is. */
function compile(command) {
  const at = command.indexOf('-o') + 1;
  if (at === 0) {
    run(command);
    return;
  }
  const object = command[at];
  const module = `${object}.ll`;
  run([...command.map((word, i) => (i === at ? module : word === '-c' ? '-S' : word)), '-emit-llvm']);
  try {
    fs.writeFileSync(module, markSites(fs.readFileSync(module, 'utf8')));
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
  run([command[0], ...command.filter((word) => /^-(?:O|msimd|fwasm)/.test(word)), '-w', '-c', module, '-o', object]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) compile(process.argv.slice(2));
