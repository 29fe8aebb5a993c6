// What prose can say inside a line: math, values, citations, terms, links to pages.
// Whatever Doxygen could mangle becomes a token, a word that it lets through.

import { list, nearest } from './errors.mjs';
import { termLink } from './glossary.mjs';
import { curly, escape } from './html.mjs';

const LONGEST_UNBROKEN = 24;   // characters of code that stay on one line
const IDENTIFIER = /^[A-Za-z_]\w*(?:::\w+)*(?:\(\))?$/;
const VALUE = /^\{\{\s*ch(\d+)\.([\w.-]+)\s*\}\}/;
const CITATION = /^\[(@[\w:.-]+(?:;\s*@[\w:.-]+)*)\]/;
const TERM = /^\[\[([^[\]|]+)(?:\|([^[\]|]+))?\]\]/;
const NOT_MEASURED = { number: 0, text: '(not measured)' };
const EQUATION = /^\\eqref\{(eq:[\w-]+)\}/;
const PAGE_LINK = /^\]\(([\w./-]+\.md)?(#[\w.-]+)?\)/;

/** Markdown for Doxygen with tokens for the rest; `where` is the text's first line. Running text may mark terms. */
export function expandInline(text, where, page, book, { running = false } = {}) {
  let out = '';
  let i = 0;
  let line = where.line;
  let owed = 0;   // line breaks swallowed by a token, paid back at the next space
  const here = () => ({ file: where.file, line });
  const take = (source, replacement) => {
    const breaks = source.split('\n').length - 1;
    if (!replacement.includes('\n')) owed += breaks;
    const pays = owed > 0 && replacement === ' ';
    out += pays ? '\n' : replacement;
    if (pays) owed -= 1;
    line += breaks;
    i += source.length;
  };
  while (i < text.length) {
    const rest = text.slice(i);
    const found = special(rest, text[i - 1], here(), page, book, running);
    if (found) take(found.source, found.markdown);
    else take(rest[0], rest[0]);
  }
  return out;
}

/** The construct at the start of `rest`, with what replaces it, or null. */
function special(rest, before, where, page, book, running) {
  const token = (html) => page.token('inline', html);
  switch (rest[0]) {
    case '\\': {
      const equation = rest.match(EQUATION);
      if (!equation) return { source: rest.slice(0, 2), markdown: rest.slice(0, 2) };
      return { source: equation[0], markdown: token(book.equations.link(equation[1], where)) };
    }
    case '`': return code(rest, token);
    case '$': return math(rest, where, page, book);
    case '{': return rest.startsWith('{{') ? value(rest, where, token, book) : null;
    case '[': {
      const term = rest.match(TERM);
      if (term) return { source: term[0], markdown: token(markedTerm(term, where, page, book, running)) };
      const citation = rest.match(CITATION);
      if (!citation) return null;
      const keys = citation[1].split(';').map((key) => key.trim().slice(1));
      const html = book.bibliography.cite(keys, where, book.problems);
      return { source: citation[0], markdown: token(() => html(book.bibliographyPage)) };
    }
    case ']': return link(rest, where, page, book);
    case '<': {
      const comment = rest.match(/^<!--[\s\S]*?-->/);
      if (comment) return { source: comment[0], markdown: '' };
      const tag = rest.match(/^<\/?[a-z][^>]*>/i);
      return tag ? { source: tag[0], markdown: tag[0] } : null;
    }
    case '"':
    case '\'': return { source: rest[0], markdown: curly(rest[0], before, rest[1]) };
    default: return null;
  }
}

/** Names are left to Doxygen, which links them; other code is kept from it. */
function code(rest, token) {
  const marks = rest.match(/^`+/)[0];
  const end = rest.indexOf(marks, marks.length);
  if (end < 0) return { source: marks, markdown: marks };
  const source = rest.slice(0, end + marks.length);
  const text = rest.slice(marks.length, end).replace(/\s+/g, ' ').replace(/^ (.*) $/, '$1');
  if (IDENTIFIER.test(text)) return { source, markdown: source };
  const whole = text.length <= LONGEST_UNBROKEN ? ' class="whole"' : '';
  return { source, markdown: token(`<code${whole}>${escape(text)}</code>`) };
}

function math(rest, where, page, book) {
  if (rest.startsWith('$$')) {
    book.problems.add(where, '$$ in the middle of a line; begin the line with it');
    return { source: '$$', markdown: '' };
  }
  const formula = rest.match(/^\$((?:[^$\\\n]|\\[\s\S]|\n(?!\s*\n))+?)\$/);
  if (!formula || /^\s/.test(formula[1]) || /\s$/.test(formula[1])) {
    book.problems.add(where, 'a $ without its pair; write \\$ for a dollar sign, no space inside $…$');
    return { source: '$', markdown: '' };
  }
  const tex = fillValues(formula[1], where, book);
  const key = book.formulas.ask(tex, false, where);
  return { source: formula[0], markdown: page.token('inline', (formulas) => formulas.html(key)) };
}

/** TeX with the values it quotes. */
export function fillValues(tex, where, book) {
  return tex.replace(/\{\{\s*ch(\d+)\.([\w.-]+)\s*\}\}/g, (_, chapter, name) =>
    valueText(Number(chapter), name, where, book) ?? '');
}

function value(rest, where, token, book) {
  const named = rest.match(VALUE);
  if (named) {
    const text = valueText(Number(named[1]), named[2], where, book);
    return { source: named[0], markdown: text === undefined ? '' : token(escape(text)) };
  }
  const source = rest.match(/^\{\{[^\n]*?\}\}|^\{\{/)[0];
  book.problems.add(where, `${source} is no value and no known line; values are {{chNN.name}}, `
    + 'code, claim, output, figure, exercise, exercises, solution, bibliography and bugs stand alone on a line');
  return { source, markdown: '' };
}

function valueText(chapter, name, where, book) {
  return valueOf(chapter, name, where, book)?.text;
}

/** A value that a program wrote: {number, text}; undefined with a problem noted. */
export function valueOf(chapter, name, where, book) {
  const values = book.values.get(chapter);
  if (!values) {
    book.problems.add(where, `no program of chapter ${chapter} is built; the chapters are ${list([...book.values.keys()])}`);
    return undefined;
  }
  const found = values[name];
  if (found === undefined && book.notFetched.has(chapter)) return NOT_MEASURED;
  if (found === undefined) {
    book.problems.add(where, `chapter ${chapter}'s program writes no value "${name}"; it writes `
      + list(nearest(name, Object.keys(values))));
    return undefined;
  }
  if (typeof found.text !== 'string' || found.text === '') {
    book.problems.add(where, `the value "${name}" has no text; its program must write {"number": …, "text": "…"}`);
    return undefined;
  }
  return found;
}

function markedTerm([source, words, name = words], where, page, book, running) {
  if (running) return termLink(words, name, where, page, book);
  book.problems.add(where, `${source} stands in a heading, a title, a caption or an exercise; mark the term in the text of the page`);
  return '';
}

/** A link to another page of the book; its section is checked when all pages are known. */
function link(rest, where, page, book) {
  const target = rest.match(PAGE_LINK);
  if (!target || (!target[1] && !target[2])) return null;
  const [source, file, anchor = ''] = target;
  const base = file?.replace(/^.*\//, '').replace(/\.md$/, '').replace(/^\d\d[a-z]?_/, '');
  const other = file ? book.pages.find((candidate) => candidate.base === base) : page;
  if (!other) {
    book.problems.add(where, `no page ${file}; the pages are ${list(nearest(base, book.pages.map((p) => p.base)).map((b) => `${b}.md`))}`);
    return { source, markdown: `](${source})` };
  }
  if (anchor) book.links.push({ page: other, anchor: anchor.slice(1), where });
  return { source, markdown: `](${other.html}${anchor})` };
}
