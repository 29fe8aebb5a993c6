// Prints the finished book to one file.
//   node src/weave/print/print_book.mjs --book DIR --build DIR --out FILE

import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { BookError } from '../errors.mjs';
import { writeFile } from '../files.mjs';
import { hasClass, mathText, treeOf } from '../html_tree.mjs';
import { findChromium, print } from './chromium.mjs';
import { withTitles } from './pdf_outline.mjs';
import { readPlaces } from './pdf_places.mjs';
import { readFinished, wholeBook } from './whole_book.mjs';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const PASSES = 3;   // the numbers in the contents may push a line, and with it a page

/** Prints the book in `book` to `out`, by way of `build`; gives how many pages it has. */
export async function printBook({ book, build, out }, chromium = findChromium()) {
  if (!fs.existsSync(path.join(book, 'index.html'))) {
    throw new BookError([`pdf: no book in ${book}; make it first with ./mha book`]);
  }
  fs.rmSync(build, { recursive: true, force: true });
  fs.mkdirSync(build, { recursive: true });
  fs.copyFileSync(path.join(book, 'theme.css'), path.join(build, 'theme.css'));
  fs.cpSync(path.join(book, 'fonts'), path.join(build, 'fonts'), { recursive: true });
  const style = fs.readFileSync(path.join(HERE, 'print.css'), 'utf8');
  const pages = readFinished(book);
  const html = path.join(build, 'whole_book.html');
  const pdf = path.join(build, 'whole_book.pdf');
  let numbers = new Map();
  for (let pass = 1; pass <= PASSES; pass += 1) {
    console.log(`Printing, ${pass === 1 ? 'to find the page numbers' : 'with page numbers'}`);
    const text = wholeBook(pages, style, numbers);
    writeFile(html, text);
    // eslint-disable-next-line no-await-in-loop
    await print(chromium, html, pdf);
    const printed = fs.readFileSync(pdf);
    const places = readPlaces(printed);
    if (!places) throw new BookError([`pdf: ${chromium} writes a PDF in which the page numbers cannot be found; another version of Chromium may do`]);
    if (equal(places.anchors, numbers)) {
      const titled = withTitles(printed, headingsOf(text));
      if (!titled) throw new BookError([`pdf: the outline that ${chromium} writes does not have the book's headings; another version of Chromium may do`]);
      writeFile(out, titled);
      return places.count;
    }
    numbers = places.anchors;
  }
  throw new BookError([`pdf: the page numbers of the contents still change after ${PASSES} passes; the weave has a fault`]);
}

/** The headings in their order, as the outline has them. */
function headingsOf(html) {
  const words = (node) => {
    if (typeof node === 'string') return node;
    if (node.tag === 'svg') return '';
    if (node.tag === 'math') return mathText(node);
    const text = node.children.map(words).join('');
    return hasClass(node, 'label') ? `${text}:` : text;
  };
  return [...html.matchAll(/<h([1-6])\b[^>]*>([\s\S]*?)<\/h\1>/g)].map(([, , inside]) => words(treeOf(inside)).replace(/\s+/g, ' ').trim());
}

function equal(one, other) {
  return one.size === other.size && [...one].every(([name, page]) => other.get(name) === page);
}

function readArguments(words) {
  const given = {};
  for (let i = 0; i < words.length; i += 2) {
    const name = words[i].replace(/^--/, '');
    if (!['book', 'build', 'out'].includes(name) || words[i + 1] === undefined) {
      throw new BookError([`pdf: ${words[i]} is no option with a value; the options are --book, --build and --out`]);
    }
    given[name] = path.resolve(words[i + 1]);
  }
  for (const name of ['book', 'build', 'out']) {
    if (!given[name]) throw new BookError([`pdf: --${name} is missing; see the top of src/weave/print/print_book.mjs`]);
  }
  return given;
}

async function main() {
  try {
    const count = await printBook(readArguments(process.argv.slice(2)));
    console.log(`Printed ${count} pages.`);
  } catch (error) {
    if (!(error instanceof BookError)) throw error;
    for (const line of error.lines) console.error(line);
    process.exitCode = 1;
  }
}

if (process.argv[1] && fs.realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) await main();
