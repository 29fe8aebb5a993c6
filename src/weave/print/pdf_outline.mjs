// The outline's titles. Chromium takes them from what it has drawn: a heading
// that begins a page stands there twice, and a formula in it not at all.

import { readObjects, referred } from './pdf_objects.mjs';

const TITLE = /\/Title (?:\((?:\\[\s\S]|[^\\)])*\)|<[0-9A-Fa-f]*>)/;

/**
 * The PDF with these titles in its outline, one for each entry in the order of
 * the text; null when it has more or fewer. The entries are written anew at the
 * end of the file, as an update, which leaves the rest as it is.
 */
export function withTitles(bytes, titles) {
  const { text, objects, root, catalog } = readObjects(bytes);
  const entries = entriesUnder(referred(catalog, 'Outlines'), objects);
  const before = text.match(/startxref\s+(\d+)\s+%%EOF\s*$/)?.[1];
  const size = text.match(/\/Size (\d+)/g)?.at(-1);
  if (entries.length !== titles.length || !before || !size) return null;
  const pieces = [];
  const places = [];
  let at = bytes.length + 1;
  entries.forEach((number, i) => {
    const object = `${number} 0 obj\n${objects.get(number).replace(TITLE, () => `/Title <${utf16(titles[i])}>`)}\nendobj\n`;
    places.push(`${number} 1\n${String(at).padStart(10, '0')} 00000 n \n`);
    pieces.push(object);
    at += object.length;
  });
  const update = `\n${pieces.join('')}xref\n${places.join('')}trailer\n<<${size}\n/Root ${root} 0 R\n/Info 1 0 R\n/Prev ${before}>>\nstartxref\n${at}\n%%EOF\n`;
  return Buffer.concat([bytes, Buffer.from(update, 'latin1')]);
}

/** The outline's entries, each before those under it. */
function entriesUnder(number, objects) {
  const found = [];
  for (let next = referred(objects.get(number), 'First'); next; next = referred(objects.get(next), 'Next')) {
    found.push(next, ...entriesUnder(next, objects));
  }
  return found;
}

/** Text as a PDF holds any text: UTF-16, the high byte first. */
function utf16(text) {
  return `FEFF${Buffer.from(text, 'utf16le').swap16().toString('hex').toUpperCase()}`;
}
