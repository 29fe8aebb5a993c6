// The objects of a PDF that Chromium writes: apart from text and fonts they are
// not compressed, so that what is where, and what it is called, can be read.

/** The file as text, its objects by number, and the catalog, from which all others are reached. */
export function readObjects(bytes) {
  const text = bytes.toString('latin1');
  const objects = new Map([...text.matchAll(/(?:^|\n)(\d+) 0 obj\n([\s\S]*?)(?=\nendobj|stream\r?\n)/g)].map(([, number, inside]) => [number, inside]));
  const [root, catalog] = [...objects].find(([, inside]) => /\/Type \/Catalog\b/.test(inside)) ?? [];
  return { text, objects, root, catalog: catalog ?? '' };
}

/** The number of the object that another one names so: `/Pages 12 0 R`. */
export function referred(inside, name) {
  return inside?.match(new RegExp(`/${name} (\\d+) 0 R`))?.[1];
}
