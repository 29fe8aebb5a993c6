// Copies the small book of fixture/ to a folder of its own, plants a fault and weaves it.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { withQuotes } from '../../src/weave/compact.mjs';
import { weave } from '../../src/weave/weave.mjs';
import { BookError } from '../../src/weave/errors.mjs';

const FIXTURE = path.join(path.dirname(fileURLToPath(import.meta.url)), 'fixture');

/** A copy of the small book; `remove` deletes it. */
export function copyBook() {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'small-book-'));
  fs.cpSync(FIXTURE, root, { recursive: true });
  const program = {
    chapter: '01_first', number: 1, name: 'first', source: 'chapters/01_first/first.cpp',
    executable: path.join(root, 'chapters/01_first/first.sh'),
  };
  const programs = path.join(root, 'programs.json');
  fs.writeFileSync(programs, JSON.stringify([program]));
  const out = path.join(root, 'out');
  return {
    root, out, programs,
    weave: () => weave({ programs, build: path.join(root, 'build'), out, root }),
    read: (file) => fs.readFileSync(path.join(root, file), 'utf8'),
    page: (name) => withQuotes(fs.readFileSync(path.join(out, name), 'utf8')),
    write: (file, text) => {
      fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
      fs.writeFileSync(path.join(root, file), text);
    },
    remove: () => fs.rmSync(root, { recursive: true, force: true }),
  };
}

/** Replaces `from` in `file`, which must hold it exactly once. */
export function edit(book, file, from, to) {
  const text = book.read(file);
  const pieces = text.split(from);
  if (pieces.length !== 2) throw new Error(`${file} holds ${pieces.length - 1} times: ${from}`);
  book.write(file, pieces.join(to));
}

/** What the weave says about a book that must not be made. */
export async function complaints(book) {
  try {
    await book.weave();
  } catch (error) {
    if (error instanceof BookError) return error.lines;
    throw error;
  }
  return [];
}
