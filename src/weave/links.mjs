// The last check: every link and anchor of the finished pages leads somewhere,
// nothing is loaded from elsewhere, no token is left.

/** Checks the pages (html name -> text); `assets` are the other files beside them. */
export function checkLinks(pages, assets, book) {
  const ids = new Map();
  for (const [name, text] of pages) ids.set(name, idsOf(name, text, book));
  for (const [name, text] of pages) {
    for (const [, attribute, target] of text.matchAll(/\s(href|src)="([^"]*)"/g)) {
      const wrong = whatIsWrong(attribute, target, name, ids, assets);
      if (wrong) book.problems.add(placeOf(target, name, book), wrong);
    }
    for (const tag of repeatedAttributes(text)) {
      book.problems.add(placeOf('', name, book), `${tag} in ${name} has an attribute twice, and browsers drop the second; the weave has a fault`);
    }
    const token = text.match(/MHAx\d+x/);
    if (token) book.problems.add(placeOf('', name, book), `the placeholder ${token[0]} is left in ${name}; the weave has a fault`);
  }
}

/** Tags that name an attribute twice. */
export function repeatedAttributes(text) {
  return [...text.matchAll(/<[a-z][\w-]*\s[^<>]*>/g)].map(([tag]) => tag).filter((tag) => {
    const names = [...tag.replace(/"[^"]*"|'[^']*'/g, '').matchAll(/\s([\w:-]+)=/g)].map((match) => match[1]);
    return new Set(names).size < names.length;
  });
}

function idsOf(name, text, book) {
  const ids = new Set();
  for (const [, id] of text.matchAll(/\sid="([^"]*)"/g)) {
    if (ids.has(id)) book.problems.add(placeOf('', name, book), `two elements of ${name} have the id "${id}"; rename one`);
    ids.add(id);
  }
  return ids;
}

function whatIsWrong(attribute, target, from, ids, assets) {
  if (/^[a-z][a-z+.-]*:/i.test(target)) {
    const leaves = attribute === 'src' || !/^(?:https?|mailto):/.test(target);
    return leaves ? `"${target}" is loaded from elsewhere; keep everything a page needs in the book` : null;
  }
  const [file, anchor] = target.split('#');
  const page = file === '' ? from : decodeURIComponent(file.replace(/\?.*$/, ''));
  if (!ids.has(page)) return assets.has(page) ? null : `broken link: no file "${page}" in the book; correct the link`;
  if (anchor && !ids.get(page).has(decodeURIComponent(anchor))) {
    return `broken link: no anchor "#${anchor}" in ${page}; correct the link`;
  }
  return null;
}

/** The line of prose that holds the link, or else the page's first. */
function placeOf(target, name, book) {
  const page = book.pages.find((candidate) => candidate.html === name);
  if (!page) return { file: name };
  const line = target ? page.blocks.find((block) => JSON.stringify(block.text ?? '').includes(target)) : null;
  if (!line) return { file: page.file, line: 1 };
  const before = line.text.slice(0, line.text.indexOf(target)).split('\n').length - 1;
  return { file: line.where.file, line: line.where.line + before };
}
