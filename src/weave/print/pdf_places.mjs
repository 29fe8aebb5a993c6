// Where the anchors of a printed page are.

import { readObjects, referred } from './pdf_objects.mjs';

/** How many pages a PDF has and on which each named anchor is, counted from 1; null when it cannot be read. */
export function readPlaces(bytes) {
  const { objects, catalog } = readObjects(bytes);
  const root = referred(catalog, 'Pages');
  const named = objects.get(referred(catalog, 'Dests'));
  if (!root || !named) return null;
  const order = pagesUnder(root, objects);
  const numberOf = new Map(order.map((page, i) => [page, i + 1]));
  const anchors = new Map();
  for (const [, name, page] of named.matchAll(/\/([^\s[\]<>()/]+) \[(\d+) 0 R/g)) {
    anchors.set(decodeName(name), numberOf.get(page));
  }
  return { count: order.length, anchors };
}

/** The pages below an object of the page tree, in order. */
function pagesUnder(number, objects) {
  const kids = objects.get(number)?.match(/\/Kids \[([^\]]*)\]/)?.[1];
  if (kids === undefined) return [number];
  return [...kids.matchAll(/(\d+) 0 R/g)].flatMap(([, kid]) => pagesUnder(kid, objects));
}

/** A PDF writes a name's unusual bytes as #xx. */
function decodeName(name) {
  const bytes = name.replace(/#([0-9A-Fa-f]{2})/g, (_, code) => String.fromCharCode(parseInt(code, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
