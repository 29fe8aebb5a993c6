// Runs Doxygen over the library and the expanded pages. Its warnings are
// problems, at the line of prose or source they come from.

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { filesUnder, hash, readText, writeFile, writeIfChanged } from './files.mjs';

/** Writes the pages Doxygen reads: the book's, and one listing a file of a chapter's program. */
export function writePages(book) {
  const folder = path.join(book.build, 'pages');
  const wanted = new Map();
  for (const page of book.pages) wanted.set(`${page.base}.md`, `${page.out.join('\n')}\n`);
  for (const source of book.sources) {
    if (source.listing) wanted.set(`${source.listing}.md`, listingPage(source));
  }
  for (const [name, text] of wanted) writeIfChanged(path.join(folder, name), text);
  for (const file of filesUnder(folder)) {
    if (!wanted.has(path.basename(file))) fs.rmSync(file);
  }
}

function listingPage(source) {
  const lines = source.lines.map((line) => line.trimEnd());
  return `# ${source.name} {#${source.listing}}\n\n\\code{.cpp}\n${lines.join('\n')}\n\\endcode\n`;
}

/** Runs Doxygen unless its input is what it was; gives the folder of its HTML. */
export async function runDoxygen(book) {
  const folder = path.join(book.build, 'doxygen');
  const stamp = path.join(book.build, 'doxygen.stamp');
  const settings = settingsFor(book, folder);
  const inputs = [...filesUnder(path.join(book.root, 'src/mha')), ...filesUnder(path.join(book.build, 'pages')),
    path.join(book.project, 'Doxyfile'), ...filesUnder(path.join(book.project, 'book/theme'))];
  const key = hash(settings, ...inputs.flatMap((file) => [file, fs.readFileSync(file)]));
  if (fs.existsSync(stamp) && readText(stamp) === key) return folder;

  fs.rmSync(stamp, { force: true });
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  const { status, said } = await doxygen(settings, book.root);
  const before = book.problems.count;
  noteWarnings(said, book);
  if (status !== 0 && book.problems.count === before) {
    book.problems.add({ file: 'Doxyfile' }, `Doxygen ended with status ${status}: ${said.slice(-300)}`);
  }
  if (book.problems.count === before) writeFile(stamp, key);
  return folder;
}

function settingsFor(book, folder) {
  const theme = path.join(book.project, 'book/theme');
  const library = path.join(book.root, 'src/mha');
  return `@INCLUDE = "${path.join(book.project, 'Doxyfile')}"
INPUT = ${fs.existsSync(library) ? `"${library}"` : ''} "${path.join(book.build, 'pages')}"
STRIP_FROM_PATH = "${path.join(book.root, 'src')}"
STRIP_FROM_INC_PATH = "${path.join(book.root, 'src')}"
OUTPUT_DIRECTORY = "${path.dirname(folder)}"
HTML_OUTPUT = "${folder}"
HTML_HEADER = "${path.join(theme, 'doxygen_header.html')}"
HTML_FOOTER = "${path.join(theme, 'doxygen_footer.html')}"
DISABLE_INDEX = YES
GENERATE_TREEVIEW = NO
WARN_AS_ERROR = NO
`;
}

function doxygen(settings, cwd) {
  return new Promise((done) => {
    const child = spawn('doxygen', ['-'], { cwd });
    let said = '';
    child.stdout.on('data', (data) => { said += data; });
    child.stderr.on('data', (data) => { said += data; });
    child.on('error', (error) => done({ status: 1, said: `doxygen: ${error.message}; install the package doxygen` }));
    child.on('close', (status) => done({ status, said }));
    child.stdin.on('error', () => {});
    child.stdin.end(settings);
  });
}

/** `file:line: warning: text`, with lines that go on after it. */
function noteWarnings(said, book) {
  const warnings = [];
  for (const line of said.split('\n')) {
    const match = line.match(/^(.*?):(\d+): (?:warning|error): (.*)$/) ?? line.match(/^()()(?:warning|error): (.*)$/);
    if (match) warnings.push({ file: match[1], line: Number(match[2]), text: match[3] });
    else if (warnings.length && line.trim()) warnings[warnings.length - 1].text += ` ${line.trim()}`;
    else if (line.trim()) warnings.push({ file: '', line: 0, text: line.trim() });
  }
  for (const warning of warnings) {
    book.problems.add(originOf(warning, book), `Doxygen: ${warning.text.replace(/[.;]$/, '')}; correct the text there`);
  }
}

/** Where the words that Doxygen warns about were written. */
function originOf({ file, line }, book) {
  const pagesFolder = path.join(book.build, 'pages');
  const name = path.basename(file);
  if (file.startsWith(pagesFolder)) {
    const page = book.pages.find((candidate) => `${candidate.base}.md` === name);
    if (page) return page.origins[Math.max(0, line - 1)] ?? { file: page.file, line: 1 };
    const source = book.sources.find((candidate) => `${candidate.listing}.md` === name);
    if (source) return { file: source.file, line: Math.max(1, line - 3) };
  }
  if (file.startsWith(book.root)) return { file: path.relative(book.root, file), line };
  const inSource = filesUnder(path.join(book.root, 'src/mha')).find((full) => full.endsWith(`/${file}`));
  if (inSource) return { file: path.relative(book.root, inSource), line };
  return { file: file || 'Doxyfile', line };
}
