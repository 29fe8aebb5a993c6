// The glossary: what each term means, said beside the words that the prose marks.

import { DEPTHS, plainText } from './book.mjs';
import { list, nearest } from './errors.mjs';
import { escape, slug, withCurlyQuotes } from './html.mjs';

const ENTRY = /^\*\*([^*]+)\.\*\*\s+(\S[\s\S]*)$/;
const NAME = /\*\*([^*]+?)\.?\*\*/g;

/** The entries of the page `glossary` by each name they have in bold, in small letters: {html, id, meaning, where}. */
export function readGlossary(pages, problems) {
  const entries = new Map();
  const page = pages.find(({ base }) => base === 'glossary');
  for (const { kind, text, where } of page?.blocks ?? []) {
    const [, term, said] = (kind === 'text' && text.match(ENTRY)) || [];
    if (!term) continue;
    const entry = { html: page.html, id: `term-${slug(term)}`, meaning: meaningOf(said), where };
    for (const [, name] of text.matchAll(NAME)) {
      const known = entries.get(name.toLowerCase());
      if (known) problems.add(where, `the glossary has "${name}" already, at line ${known.where.line}; keep one`);
      else entries.set(name.toLowerCase(), entry);
    }
  }
  return entries;
}

/** An entry without the sentences that only say where more is said. */
function meaningOf(said) {
  return withCurlyQuotes(plainText(said.split(/(?<=\.)\s+/).filter((sentence) => !sentence.startsWith('[')).join(' ')));
}

/** The link from words that the prose marks to their entry; only a page's first link to it says what that is. */
export function termLink(words, name, where, page, book) {
  const entry = entryOf(name.toLowerCase(), book.glossary);
  if (!entry) {
    book.problems.add(where, `no entry "${name}" in the glossary; it has ${list(nearest(name.toLowerCase(), [...book.glossary.keys()]))}, `
      + 'and a word in another form is written [[words|entry]]');
    return '';
  }
  const reader = page.depth ?? 'all';
  const marked = page.terms.get(entry.id) ?? new Map();   // reader -> line
  const before = marked.get('all') ?? marked.get(reader)
    ?? (reader === 'all' && DEPTHS.every((depth) => marked.has(depth)) ? marked.get(DEPTHS[0]) : undefined);
  if (before) book.problems.add(where, `[[${words}]] is marked for the same reader at line ${before} already; keep the first`);
  const title = marked.size === 0 ? ` title="${escape(entry.meaning)}"` : '';
  page.terms.set(entry.id, marked.set(reader, where.line));
  return `<a class="term" href="${entry.html}#${entry.id}"${title}>${escape(words)}</a>`;
}

/** The entry of a name or of its plain plural. */
function entryOf(name, glossary) {
  return [name, name.replace(/s$/, ''), name.replace(/es$/, ''), name.replace(/ies$/, 'y')]
    .map((form) => glossary.get(form)).find(Boolean);
}
