// Makes the book: prose and the runs of its programs to pages in --out.
//   node src/weave/weave.mjs --programs FILE --build DIR --out DIR [--root DIR]

import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { copyTheme, readEarlyScript } from './assets.mjs';
import { Bibliography } from './bibliography.mjs';
import { checkBugReports, readBugReports } from './bug_reports.mjs';
import { checkSaysSomething, readPages } from './book.mjs';
import { compact } from './compact.mjs';
import { runDoxygen, writePages } from './doxygen.mjs';
import { BookError, noting, Problems } from './errors.mjs';
import { checkAllShown, readExercises } from './exercises.mjs';
import { Equations, expandPage } from './expand.mjs';
import { filesUnder, hash, readText, writeFile } from './files.mjs';
import { finishPages } from './finish.mjs';
import { makeFonts } from './fonts.mjs';
import { framer } from './frame.mjs';
import { readGlossary } from './glossary.mjs';
import { checkLinks } from './links.mjs';
import { Formulas, readMacros } from './math.mjs';
import { programsInPages, writePagePrograms } from './page_programs.mjs';
import { NotFetched, readPrograms, Runs } from './runs.mjs';
import { searchIndex } from './search_index.mjs';
import { checkSolutions, readSolutions } from './solutions.mjs';
import { checkCoverage, readLeftOut, readSource } from './sources.mjs';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const PROJECT = path.resolve(HERE, '../..');
const SOURCE = /\.(?:hpp|cpp|h|cu|cuh)$/;

/** Makes the book, or throws a BookError with every problem found. */
export async function weave({ programs: programsFile, build, out, root }) {
  const problems = new Problems();
  const programs = await noting(problems, { file: programsFile }, () => readPrograms(programsFile));
  problems.stop();

  const stamp = path.join(build, 'stamp');
  const key = inputsHash(root, out, programs);
  if (fs.existsSync(path.join(out, 'index.html')) && fs.existsSync(stamp) && readText(stamp) === key) {
    return { unchanged: true };
  }

  const book = await readBook(root, build, programs, problems);
  problems.stop();
  for (const page of book.pages) await expandPage(page, book);
  checkBook(book);
  problems.stop();

  writePages(book);
  const [folder] = await Promise.all([runDoxygen(book), book.formulas.setAll(problems)]);
  problems.stop();

  const pages = await writeFinished(book, folder, out);
  fs.rmSync(stamp, { force: true });
  swapIn(`${out}.new`, out);
  writeFile(stamp, key);
  return { unchanged: false, pages };
}

/** Everything the pages draw on. */
async function readBook(root, build, programs, problems) {
  const runs = new Runs(path.join(build, 'runs'));
  const book = {
    root, build, project: PROJECT, problems, programs, runs,
    pages: readPages(root, problems),
    sources: readSources(root, programs, problems),
    leftOut: readLeftOut(root, problems),
    exercises: readExercises(root, problems),
    bugReports: readBugReports(root, problems),
    equations: new Equations(),
    formulas: new Formulas(path.join(build, 'formulas.json'), readMacros(root, problems)),
    links: [], values: new Map(), claims: new Map(), notFetched: new Map(),
    bibliographyShown: null, bibliographyPage: '',
  };
  book.glossary = readGlossary(book.pages, problems);
  readSolutions(root, book.exercises, problems);
  book.bibliography = await Bibliography.read(root, path.join(build, 'bibliography.json'), problems);
  await Promise.all(programs.map((program) => runProgram(program, book)));
  return book;
}

/** Every file of each program, then the library, then those of the CPU device that have parts. */
function readSources(root, programs, problems) {
  const ofPrograms = programs.flatMap((program) => filesOfProgram(root, program)
    .map((file) => readSource(root, file, problems, { program })));
  return [...ofPrograms,
    ...sourcesUnder(root, 'src/mha').map((file) => readSource(root, file, problems)),
    ...sourcesUnder(root, 'src/device').map((file) => readSource(root, file, problems, { excerpts: true }))
      .filter((source) => source.parts.size > 0)];
}

function sourcesUnder(root, folder) {
  return filesUnder(path.join(root, folder)).filter((file) => SOURCE.test(file))
    .map((file) => path.relative(root, file).split(path.sep).join('/'));
}

/** The program's main file, then the other sources that lie beside it. */
function filesOfProgram(root, program) {
  const folder = path.posix.dirname(program.source);
  const others = fs.readdirSync(path.join(root, folder)).filter((name) => SOURCE.test(name))
    .map((name) => `${folder}/${name}`).filter((file) => file !== program.source).sort();
  return [program.source, ...others];
}

/** The runs every page relies on: the demo, the values and the claims. */
async function runProgram(program, book) {
  const where = { file: program.source, line: 1 };
  await noting(book.problems, where, () => demoRun(program, book));
  await Promise.all([
    noting(book.problems, where, async () => {
      book.values.set(program.number, await book.runs.values(program));
    }),
    noting(book.problems, where, async () => {
      const claims = await book.runs.claims(program);
      book.claims.set(program.name, claims);
      for (const [name, { failed, fileName, line }] of claims) {
        const source = book.sources.find((candidate) => candidate.program === program && candidate.name === fileName);
        if (failed && !book.notFetched.has(program.number)) book.problems.add({ file: source?.file ?? program.source, line }, `the claim "${name}" failed; run ${program.name} --test`);
      }
    }),
  ]);
}

/** Its demo, kept for the pages; or what it says of data that was not fetched. */
async function demoRun(program, book) {
  try {
    await book.runs.output(program);
  } catch (error) {
    if (!(error instanceof NotFetched)) throw error;
    book.notFetched.set(program.number, error.message);
    console.error(error.message);
  }
}

/** What is known only when every page is expanded. */
function checkBook(book) {
  const { problems } = book;
  for (const { page, anchor, where } of book.links) {
    if (!page.anchors.has(anchor)) {
      problems.add(where, `${page.base}.md has no section #${anchor}; it has ${[...page.anchors].map((id) => `#${id}`).join(', ') || 'none'}`);
    }
  }
  book.equations.check(problems);
  book.bibliography.checkAllCited(problems);
  if (book.bibliography.inUse && !book.bibliographyShown) {
    problems.add({ file: 'book/book.bib' }, 'is cited but no page shows it; put {{bibliography}} on one');
  }
  for (const page of book.pages) checkSaysSomething(page, problems);
  checkAllShown(book.exercises, problems);
  checkSolutions(book);
  checkBugReports(book);
  checkCoverage(book.sources, book.leftOut, problems);
}

/** Writes the finished book beside `out`, and checks it there. */
async function writeFinished(book, folder, out) {
  const fresh = `${out}.new`;
  fs.rmSync(fresh, { recursive: true, force: true });
  fs.mkdirSync(fresh, { recursive: true });
  const pages = finishPages(book, folder);
  const frame = framer(pages, readEarlyScript(book.project), programsInPages(book));
  const finished = new Map(pages.map((page) => [page.html, frame(page)]));
  const assets = new Set([
    ...copyTheme(book.project, fresh),
    ...writeSearch(book, pages, fresh),
    ...await writePagePrograms(book, fresh),
    ...await makeFonts([...finished.values()], path.join(book.build, 'fonts'), fresh),
  ]);
  checkLinks(finished, assets, book);
  book.problems.stop();
  for (const [name, text] of finished) fs.writeFileSync(path.join(fresh, name), compact(text));
  return pages.length;
}

/** The index of the page's search; its script comes with the theme. */
function writeSearch(book, pages, out) {
  fs.writeFileSync(path.join(out, 'search_index.js'), searchIndex(pages, path.join(book.build, 'places.json')));
  return ['search_index.js'];
}

/** Puts the finished book in place of the old one. */
function swapIn(fresh, out) {
  const old = `${out}.old`;
  fs.rmSync(old, { recursive: true, force: true });
  if (fs.existsSync(out)) fs.renameSync(out, old);
  fs.renameSync(fresh, out);
  fs.rmSync(old, { recursive: true, force: true });
}

/** One hash over everything that can change a page. */
function inputsHash(root, out, programs) {
  const files = [
    // With the models, which may have been fetched since.
    ...filesUnder(path.join(root, 'book')), ...filesUnder(path.join(root, 'chapters')),
    ...filesUnder(path.join(root, 'src/mha')), ...filesUnder(path.join(root, 'src/device')),
    ...filesUnder(path.join(PROJECT, 'book/theme')),
    ...filesUnder(HERE, ['node_modules']), path.join(PROJECT, 'Doxyfile'),
  ];
  return hash(out, JSON.stringify(programs), ...files.flatMap((file) => [file, fs.readFileSync(file)]));
}

/** The arguments by name; throws with what is missing. */
function readArguments(args) {
  const known = { '--programs': 'programs', '--build': 'build', '--out': 'out', '--root': 'root' };
  const given = { root: PROJECT };
  for (let i = 0; i < args.length; i += 2) {
    const name = known[args[i]];
    if (!name || args[i + 1] === undefined) {
      throw new BookError([`weave: ${args[i]} is no option with a value; the options are ${Object.keys(known).join(', ')}`]);
    }
    given[name] = path.resolve(args[i + 1]);
  }
  for (const [option, name] of Object.entries(known)) {
    if (!given[name]) throw new BookError([`weave: ${option} is missing; see the top of src/weave/weave.mjs`]);
  }
  return given;
}

/** What to print for an error; one that nobody foresaw is thrown on. */
function linesFor(error) {
  if (error instanceof BookError) return error.lines;
  if (/MODULE_NOT_FOUND$/.test(error.code)) {
    return ['src/weave/package.json: its packages are not installed; run `npm ci` in src/weave'];
  }
  throw error;
}

async function main() {
  try {
    const given = readArguments(process.argv.slice(2));
    const { unchanged, pages } = await weave(given);
    console.log(unchanged ? 'The book is up to date.' : `Wove ${pages} pages.`);
  } catch (error) {
    for (const line of linesFor(error)) console.error(line);
    process.exitCode = 1;
  }
}

if (process.argv[1] && fs.realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) await main();
