// book.bib: the sources the book cites, by author and year.

import fs from 'node:fs';
import path from 'node:path';
import { hash, readJson, readText, writeFile } from './files.mjs';
import { list, nearest } from './errors.mjs';
import { escape } from './html.mjs';

const FILE = 'book/book.bib';
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** The entries of book.bib and who cites them. */
export class Bibliography {
  #entries = new Map();
  #cited = new Set();

  /** Reads the book's entries; the parse is kept in `cacheFile` by the file's hash. */
  static async read(root, cacheFile, problems) {
    const bibliography = new Bibliography();
    const file = path.join(root, FILE);
    if (!fs.existsSync(file)) return bibliography;
    const text = readText(file);
    noteTexCommands(text, problems);
    const parsed = await parseOnce(text, cacheFile);
    for (const { line, entry, message } of parsed.errors) {
      problems.add({ file: FILE, line: line ?? lineOf(text, entry) }, message);
    }
    for (const entry of parsed.entries) bibliography.#add(entry, lineOf(text, entry.key), problems);
    bibliography.#tellApart();
    return bibliography;
  }

  #add(entry, line, problems) {
    const where = { file: FILE, line };
    const missing = ['authors', 'title', 'year'].filter((field) => !entry[field]?.length);
    if (!entry.link) missing.push('a place where it can be found (url, doi or eprint)');
    if (missing.length) {
      problems.add(where, `entry ${entry.key} lacks ${list(missing.map((m) => m.replace('authors', 'author')))}; add it`);
    }
    if (this.#entries.has(entry.key)) {
      problems.add(where, `a second entry has the key ${entry.key}; remove one`);
    }
    this.#entries.set(entry.key, { ...entry, where, suffix: '' });
  }

  /** Entries with the same authors and year get a letter each. */
  #tellApart() {
    const same = new Map();
    for (const entry of this.#entries.values()) {
      const label = shortLabel(entry);
      same.set(label, [...(same.get(label) ?? []), entry]);
    }
    for (const entries of same.values()) {
      if (entries.length > 1) entries.forEach((entry, i) => { entry.suffix = LETTERS[i]; });
    }
  }

  /** The HTML of `[@a; @b]`, where `page` is the bibliography's own page. */
  cite(keys, where, problems) {
    const known = keys.filter((key) => {
      if (this.#entries.has(key)) return true;
      problems.add(where, `no entry ${key} in ${FILE}; nearest: ${list(nearest(key, [...this.#entries.keys()]))}`);
      return false;
    });
    known.forEach((key) => this.#cited.add(key));
    return (page) => `(${known.map((key) => {
      const entry = this.#entries.get(key);
      return `<a class="cite" href="${page}#${idOf(key)}" title="${escape(inOneLine(entry))}">${escape(shortLabel(entry) + entry.suffix)}</a>`;
    }).join('; ')})`;
  }

  /** True once something was cited. */
  get inUse() {
    return this.#cited.size > 0;
  }

  /** An entry that nothing cites is a problem. */
  checkAllCited(problems) {
    for (const [key, { where }] of this.#entries) {
      if (!this.#cited.has(key)) problems.add(where, `no page cites ${key}; cite it with [@${key}] or remove the entry`);
    }
  }

  /** The list of entries by author, as HTML. */
  html() {
    const entries = [...this.#entries.values()].sort((a, b) =>
      sortKey(a).localeCompare(sortKey(b), 'en'));
    return `<ul class="bibliography">\n${entries.map(entryHtml).join('\n')}\n</ul>`;
  }
}

const idOf = (key) => `ref-${key.replace(/[^\w-]/g, '-')}`;
const sortKey = (entry) => `${entry.authors?.[0]?.family ?? ''} ${entry.year} ${entry.title}`;

function shortLabel({ authors = [], year = '' }) {
  const names = authors.map((author) => author.family);
  const who = names.length > 2 ? `${names[0]} et al.` : names.join(' and ');
  return `${who} ${year}`;
}

/** "First, Second and Third". */
function namesOf(entry) {
  const authors = (entry.authors ?? []).map(({ given, family }) => [given, family].filter(Boolean).join(' '));
  return authors.length > 1
    ? `${authors.slice(0, -1).join(', ')} and ${authors[authors.length - 1]}` : authors.join('');
}

/** What a link to the entry leads to, in plain words. */
function inOneLine(entry) {
  return [namesOf(entry) + ` (${entry.year}${entry.suffix}).`, `${entry.title}.`, entry.venue && `${entry.venue}.`].filter(Boolean).join(' ');
}

function entryHtml(entry) {
  const venue = entry.venue ? ` ${/^(arxiv|corr)/i.test(entry.venue) ? escape(entry.venue) : `<cite>${escape(entry.venue)}</cite>`}.` : '';
  const link = entry.link ? ` <a href="${escape(entry.link.href)}">${escape(entry.link.text)}</a>` : '';
  return `<li id="${idOf(entry.key)}">${escape(namesOf(entry))} (${escape(entry.year + entry.suffix)}). `
    + `<span class="title">${escape(entry.title)}</span>.${venue}${link}</li>`;
}

/** The parser drops TeX commands without a word; accents such as {\"o} it knows. */
function noteTexCommands(text, problems) {
  text.split('\n').forEach((line, i) => {
    const command = line.match(/\\[A-Za-z]{2,}/);
    if (command) problems.add({ file: FILE, line: i + 1 }, `BibTeX: ${command[0]} would be lost; write the letters themselves`);
  });
}

function lineOf(text, key) {
  const at = text.split('\n').findIndex((line) => new RegExp(`^\\s*@\\w+\\s*\\{\\s*${escapePattern(key)}\\s*,`).test(line));
  return at + 1;
}

const escapePattern = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

async function parseOnce(text, cacheFile) {
  const key = hash('3', text);
  const kept = readJson(cacheFile, {});
  if (kept.key === key) return kept.parsed;
  const parsed = await parse(text);
  writeFile(cacheFile, JSON.stringify({ key, parsed }));
  return parsed;
}

async function parse(text) {
  const { BibLatexParser } = await import('biblatex-csl-converter');
  const read = new BibLatexParser(text, { processUnexpected: true, processUnknown: true }).parse();
  const errors = [...read.errors, ...read.warnings.filter((w) => w.type !== 'unknown_field')]
    .map((error) => ({ line: error.line, entry: error.entry ?? '', message: describe(error) }));
  return { errors, entries: Object.values(read.entries).map(simple) };
}

function describe(error) {
  const parts = [error.type.replaceAll('_', ' ')];
  if (error.entry) parts.push(`in entry ${error.entry}`);
  if (error.field_name ?? error.key) parts.push(`at ${error.field_name ?? error.key}`);
  if (error.expected) parts.push(`(expected ${error.expected}, found "${error.found}")`);
  return `BibTeX: ${parts.join(' ')}; correct the entry`;
}

/** The fields the book uses, as plain text. */
function simple({ entry_key: key, fields }) {
  const doi = plain(fields.doi);
  const eprint = plain(fields.eprint);
  const url = plain(fields.url);
  return {
    key,
    authors: (fields.author ?? []).map((author) => author.literal
      ? { given: '', family: plain(author.literal) }
      : { given: plain(author.given), family: [plain(author.prefix), plain(author.family)].filter(Boolean).join(' ') }),
    title: plain(fields.title),
    year: String(fields.date ?? '').match(/\d{4}/)?.[0] ?? '',
    venue: plain(fields.booktitle ?? fields.journaltitle ?? fields.publisher?.[0] ?? fields.institution?.[0] ?? fields.howpublished),
    link: eprint ? { href: `https://arxiv.org/abs/${eprint}`, text: `arXiv:${eprint}` }
      : doi ? { href: `https://doi.org/${doi}`, text: `doi:${doi}` }
        : url ? { href: url, text: url.replace(/^https?:\/\/(www\.)?/, '').replace(/\/$/, '') } : null,
  };
}

/** The text of one of the parser's rich text values. */
function plain(value) {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value.trim();
  if (Array.isArray(value)) return value.map((piece) => (Array.isArray(piece) ? plain(piece) : piece.text ?? '')).join('').trim();
  return value.text ?? '';
}
