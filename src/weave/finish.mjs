// Doxygen's HTML to the finished pages: tokens become what they stand for,
// headings get their level and id, code its caption.

import fs from 'node:fs';
import path from 'node:path';
import { fragmentLines, fullCode, partFigure, plainCode } from './code.mjs';
import { readText } from './files.mjs';
import { escape, slug, textOf, unescape, uniqueId } from './html.mjs';
import { referenceBodies, relink } from './reference.mjs';

const DROPPED = /^(?:index|pages|annotated|classes|files|hierarchy|namespaces|concepts|examples|functions.*|globals.*|namespacemembers.*|dir_.*|.*-members)\.html$/;
const KIND_IN_TITLE = / (?:Namespace|Struct|Class|Union|Concept|File)(?: Template)? Reference/;
const FRAGMENT = /<div class="fragment">([\s\S]*?)<\/div><!-- fragment -->/g;

/** Every finished page without its frame: {html, title, body, kind, …}. */
export function finishPages(book, folder) {
  const listings = listingNames(book, folder);
  const { pages: reference, moved, briefs } = finishReference(book, folder, listings);
  const pages = [
    ...book.pages.map((page) => finishPage(page, book, folder, listings)),
    ...book.sources.filter((source) => source.listing).map((source) => finishListing(source, book, folder)),
    ...reference,
  ];
  const names = new Set(pages.map((page) => page.html));
  for (const page of pages.filter((one) => one.page)) page.body = withBriefs(page.body, briefs);
  for (const page of pages) page.body = readableNames(shortAnchors(dropLinks(relink(page.body, moved), names)));
  for (const page of pages) page.html = readableName(page.html);
  return pages;
}

/** Source file -> the page that lists it in full and how its lines are named. */
function listingNames(book, folder) {
  const names = new Map();
  for (const source of book.sources) {
    if (source.listing) {
      names.set(source.file, { html: `${source.listing}.html`, line: (n) => `l${n}` });
      continue;
    }
    const html = `${source.name.replace(/_/g, '__').replace(/\./g, '_8')}_source.html`;
    if (fs.existsSync(path.join(folder, html))) {
      names.set(source.file, { html, line: (n) => `l${String(n).padStart(5, '0')}` });
    }
  }
  return names;
}

/** The inside of Doxygen's contents block, cleaned of what we never want. */
function contentsOf(text) {
  const inside = text.match(/<div class="contents">([\s\S]*)<\/div><!-- contents -->/)?.[1] ?? '';
  return inside.replace(/<p >/g, '<p>').replace(/&zwj;/g, '').replace(/ +<\/p>/g, '</p>')
    .replace(/ (?:align|valign|nowrap|cellpadding|cellspacing|border|width)="[^"]*"/g, '')
    .replace(/<a ([^>]*?)\bname="[^"]*"/g, '<a $1').replace(/<a +id="([^"]*)" *>/g, '<a id="$1">')
    .replace(/<a class="(?:el|anchor)" /g, '<a ').replace(/(<a href="[^"]*") title="[^"]*"/g, '$1').replace(/<br ?\/>/g, '<br>')
    .replace(/<tt>/g, '<code>').replace(/<\/tt>/g, '</code>');
}

function finishPage(page, book, folder, listings) {
  const formulas = book.formulas.page();
  let body = contentsOf(readText(path.join(folder, `page_${page.base}.html`)))
    .replace(/^\s*<div class="textblock">/, '').replace(/<\/div>\s*$/, '')
    .replace(/<a id="md_[^"]*"><\/a>\s*/g, '').replace(/<p>\s*<\/p>\s*/g, '');
  body = setHeadings(body, page, book);
  body = setParts(body, page, book, listings);
  body = body.replace(FRAGMENT, (_, inside) => plainCode(fragmentLines(inside)));
  body = formulas.draw(setTokens(body, page, formulas));
  body = keepTogether(setTables(setTerms(body, page)));
  return {
    kind: page.kind, html: page.html, page, title: page.title, label: page.label,
    summary: summaryOf(body), body, shapes: formulas.shapes(),
  };
}

/** Doxygen's headings, one level too high and without ids, get what the prose says. */
function setHeadings(body, page, book) {
  let i = 0;
  const done = body.replace(/<h([1-6])[^>]*>([\s\S]*?)<\/h\1>/g, (_, __, inside) => {
    const section = page.sections[i];
    i += 1;
    if (!section) return inside;
    const text = inside.replace(/<a [^>]*><\/a>/g, '').trim();
    const { level, id } = section;
    return `<h${level} id="${id}">${text} <a class="here" href="#${id}" aria-label="Link to this section">#</a></h${level}>`;
  });
  if (i !== page.sections.length) {
    book.problems.add({ file: page.file, line: 1 }, `Doxygen sees ${i} headings where the page has ${page.sections.length}; `
      + 'write headings with # only, and leave a blank line around rules and code');
  }
  return done;
}

/** Each code token and the fragment behind it become a captioned listing. */
function setParts(body, page, book, listings) {
  return body.replace(/<p[^>]*>\s*(MHAx\d+x)\s*<\/p>\s*<div class="fragment">([\s\S]*?)<\/div><!-- fragment -->/g, (whole, name, inside) => {
    const token = page.tokens.find((candidate) => candidate.name === name);
    if (token.kind !== 'code') return whole;
    const lines = fragmentLines(inside);
    const { part } = token;
    if (lines.length !== part.last - part.first + 1) {
      book.problems.add(part.shown.where, `Doxygen gives ${lines.length} lines for "${part.name}", which has `
        + `${part.last - part.first + 1}; remove what it takes for a command`);
    }
    const listing = listings.get(part.source.file);
    if (!listing && !token.unlisted) {
      book.problems.add({ file: part.source.file }, 'Doxygen made no page of this file; add its ending to FILE_PATTERNS in Doxyfile');
      return whole;
    }
    return partFigure(lines, token, listing && `${listing.html}#${listing.line(part.first)}`);
  });
}

function setTokens(body, page, formulas) {
  const html = new Map(page.tokens.map((token) => [token.name, token]));
  const say = (name) => {
    const token = html.get(name);
    return typeof token.html === 'function' ? token.html(formulas) : token.html;
  };
  return body
    .replace(/<p[^>]*>\s*(MHAx\d+x)\s*<\/p>/g, (whole, name) => (html.get(name).kind === 'inline' ? whole : say(name)))
    .replace(/<p[^>]*>\s*(MHAx\d+x)\s*/g, (whole, name) => (html.get(name).kind === 'open' ? say(name) : whole))
    .replace(/\s*(MHAx\d+x)\s*<\/p>/g, (whole, name) => (html.get(name).kind === 'close' ? say(name) : whole))
    .replace(/MHAx\d+x/g, say);
}

const FORMULA = /([(“‘]?)(<svg aria-hidden="true" style="vertical[^>]*>(?:(?!<\/svg>)[\s\S])*<\/svg><math>(?:(?!<\/math>)[\s\S])*<\/math>)([.,;:!?)’”]*)/g;

/** Punctuation that touches a formula stays on its line. */
function keepTogether(body) {
  return body.replace(FORMULA, (whole, before, formula, after) => (before || after ? `<span>${whole}</span>` : whole));
}

/** Tables scroll in a box of their own; an empty heading cell is no heading. */
function setTables(body) {
  return body
    .replace(/<th class="([^"]*)">\s*<\/th>/g, '<td class="$1"></td>')
    .replace(/<(t[hd]) class="markdownTable(?:Head|Body)(\w+)">\s*([\s\S]*?)\s*<\/\1>/g, (_, cell, side, inside) =>
      `<${cell}${side === 'None' || side === 'Left' ? '' : ` class="${side.toLowerCase()}"`}>${inside}</${cell}>`)
    .replace(/<tr class="[^"]*">/g, '<tr>')
    .replace(/<table class="markdownTable">/g, '<div class="table"><table>')
    .replace(/(<div class="table"><table>[\s\S]*?<\/table>)/g, '$1</div>');
}

/** At the back of the book, a paragraph that begins with a bold term and a full stop can be linked to. */
function setTerms(body, page) {
  if (page.kind !== 'appendix') return body;
  return body.replace(/<p>(?=<(?:strong|b)>([^<]+)\.<\/)/g, (_, term) => {
    const id = uniqueId(`term-${slug(unescape(term))}`, page.ids);
    page.anchors.add(id);
    return `<p id="${id}">`;
  });
}

/** The first paragraph, as a plain sentence for the front page and for search. */
function summaryOf(body) {
  const first = body.match(/<p>([\s\S]*?)<\/p>/)?.[1] ?? '';
  return textOf(first.replace(/<math[\s\S]*?<\/math>/g, ''));
}

/** The full listing of a file of a program; parts link back to where a page shows them. */
function finishListing(source, book, folder) {
  const { program } = source;
  const html = `${source.listing}.html`;
  const text = contentsOf(readText(path.join(folder, html)));
  const inside = [...text.matchAll(FRAGMENT)][0]?.[1] ?? '';
  const code = fullCode(fragmentLines(inside), (line) => `l${line}`, (line) => shownNote(source, line));
  const page = program && book.pages.find((candidate) => candidate.number === program.number);
  const about = page ? ` of <a href="${page.html}">${escape(`${page.label}: ${page.title}`)}</a>` : '';
  return {
    kind: 'listing', html, title: source.name, label: 'Full listing',
    body: `<p>${whatIsListed(source, about)}</p>${code}`,
  };
}

function whatIsListed({ file, program }, about) {
  const name = `<code>${escape(file)}</code>`;
  if (!program) return `${name}, of which the book shows excerpts.`;
  return `${file === program.source ? 'The whole program' : 'A part of the program'}${about}, ${name}. Run it with <kbd>./mha run ${program.number}</kbd>.`;
}

/** A link from the first line of a part to the page that shows it. */
function shownNote(source, line) {
  const part = [...source.parts.values()].find((candidate) => candidate.shown && candidate.from === line);
  if (!part) return '';
  const { page, id, section } = part.shown;
  return ` <a class="shown" href="${page.html}#${id}">shown in ${escape(`${page.title}, ${section}`)}</a>`;
}

/** Doxygen's own pages that the book keeps: namespaces, types, files and sources. */
function finishReference(book, folder, listings) {
  const sourcePages = new Map([...listings].map(([file, { html }]) => [html, file]));
  const texts = new Map(fs.readdirSync(folder)
    .filter((name) => name.endsWith('.html') && !DROPPED.test(name) && !/^(?:page|listing)_/.test(name))
    .map((name) => [name, readText(path.join(folder, name))]));
  const contents = [...texts].filter(([name]) => !sourcePages.has(name))
    .map(([name, text]) => [name, contentsOf(text).replace(FRAGMENT, (_, inside) => plainCode(fragmentLines(inside)))]);
  const { bodies, moved, briefs } = referenceBodies(new Map(contents));
  const pages = [...texts.keys()]
    .sort((a, b) => referenceRank(a) - referenceRank(b) || (a < b ? -1 : 1))
    .map((name) => {
      const text = texts.get(name);
      const title = textOf(text.match(/<div class="title">([\s\S]*?)<\/div>/)?.[1] ?? name).replace(KIND_IN_TITLE, '').trim();
      const file = sourcePages.get(name);
      const source = book.sources.find((candidate) => candidate.file === file);
      return {
        kind: source ? 'source' : 'reference', html: name, title,
        label: source ? 'Library source' : 'Reference',
        body: source ? sourceBody(text, source) : bodies.get(name),
      };
    });
  return { pages, moved, briefs };
}

/** Namespaces first, then types, then files. */
function referenceRank(name) {
  if (name.startsWith('namespace')) return 0;
  return /_8/.test(name) ? 2 : 1;
}

function sourceBody(text, source) {
  const inside = [...contentsOf(text).matchAll(FRAGMENT)][0]?.[1] ?? '';
  const code = fullCode(fragmentLines(inside), (line) => `l${String(line).padStart(5, '0')}`, (line) => shownNote(source, line));
  return `<p><code>${escape(source.file)}</code></p>${code}`;
}

/** Doxygen's 32-digit anchors, cut to what tells them apart on a page. */
function shortAnchors(body) {
  return body.replace(/([#"])(a[0-9a-f]{7})[0-9a-f]{25}(?:(a[0-9a-f]{7})[0-9a-f]{25})?(?=")/g, (_, mark, name, value = '') => mark + name + value);
}

/** Doxygen's page names in words: `mha.Mask.html`, `attention.hpp.source.html`. */
function readableName(name) {
  if (!/_8|_1_1|^(?:namespace|struct|class|union|concept)/.test(name)) return name;
  return name.replace(/^(?:namespace|struct|class|union|concept)/, '').replace(/_1_1/g, '.')
    .replace(/_8/g, '.').replace(/__/g, '\0').replace(/_source\.html$/, '.source.html').replace(/\0/g, '_');
}

function readableNames(body) {
  return body.replace(/href="([\w.-]+\.html)/g, (_, name) => `href="${readableName(name)}`);
}

/** Links from the book to names of the library say what these are, the first one to each. */
function withBriefs(body, briefs) {
  const said = new Set();
  return body.replace(/<a (?:class="[^"]*" )?href="([^"#:]+\.html)(?:#(a[0-9a-f]{32}))?"/g, (link, name, anchor) => {
    const key = anchor ?? name;
    const brief = said.has(key) ? '' : textOf(briefs.get(key) ?? '');
    said.add(key);
    return brief ? `${link} title="${escape(brief)}"` : link;
  });
}

/** Links to pages of Doxygen's that the book leaves out become their text. */
function dropLinks(body, names) {
  return body.replace(/<a (?:[^>]*? )?href="([^"#:]+\.html)(#[^"]*)?"[^>]*>([\s\S]*?)<\/a>/g, (whole, page, _, text) =>
    (names.has(page) || !DROPPED.test(page) ? whole : text));
}
