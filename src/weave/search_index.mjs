// What the page's search reads: the places of the book, in a script, since a
// page opened from a folder may load nothing else.

import { hash, readJson, writeFile } from './files.mjs';
import { documentsOf } from './search_documents.mjs';

const FORMAT = 3;   // raise when what is kept of a page changes

/**
 * The text of search_index.js. Finding the places of a page takes longer than
 * all else about it, so those of a page that has not changed are kept in `cacheFile`.
 */
export function searchIndex(pages, cacheFile) {
  const before = readJson(cacheFile, {});
  const kept = {};
  const places = pages.flatMap((page, i) => {
    const key = hash(String(FORMAT), page.kind, page.html, page.body).slice(0, 24);
    kept[key] = before[key] ?? documentsOf(page).map(rowOf);
    return kept[key].map((row) => [i, ...row]);
  });
  writeFile(cacheFile, JSON.stringify(kept));
  const index = { pages: pages.map(({ html, title, label = '' }) => ({ html, title, label })), places };
  return `manyHeadsSearch.read(${JSON.stringify(index)});\n`;
}

/** A place as search/ranking.mjs reads it, without its page. */
function rowOf({ anchor, kind, depth, heading, text, names }) {
  return [anchor, kind, depth, heading, text, [...names].join(' ')];
}
