// The whole book as one page of HTML, to be printed: every page in reading
// order behind a table of contents, with links that stay in the file.

import fs from 'node:fs';
import path from 'node:path';
import { withQuotes } from '../compact.mjs';
import { escape } from '../html.mjs';

/** The book's pages in reading order: {file, base, title, label, shapes, article}. */
export function readFinished(folder) {
  const front = readPage(folder, 'index.html');
  const order = front.text.match(/<ol class="pages">([\s\S]*?)<\/ol>/)?.[1] ?? '';
  const files = [...order.matchAll(/<li><a href="([\w.-]+\.html)"/g)].map(([, file]) => file);
  return files.map((file) => readPage(folder, file));
}

function readPage(folder, file) {
  const text = withQuotes(fs.readFileSync(path.join(folder, file), 'utf8'));
  const [, article] = text.match(/<article>([\s\S]*)<\/article>/);
  const [, head] = article.match(/<header class="title">([\s\S]*?)<\/header>/);
  return {
    file, text, base: file.replace(/\.html$/, ''), kind: text.match(/<body class="(\w+)"/)[1],
    title: head.match(/<h1>([\s\S]*?)<\/h1>/)[1], label: head.match(/<p class="kicker">([\s\S]*?)<\/p>/)?.[1] ?? '',
    shapes: text.match(/(<svg class="glyphs"[\s\S]*?<\/svg>)\s*<a class="skip"/)?.[1] ?? '',
    article: article.replace(/<header class="title">[\s\S]*?<\/header>/, ''),
  };
}

/** The printed book; `numbers` is where each anchor is (name -> page), once that is known. */
export function wholeBook(pages, style, numbers = new Map()) {
  const inside = new Set(pages.map(({ file }) => file));
  const [front] = pages;
  const heads = pages.map((page) => `@page ${pageName(page)} { @top-right { content: "${page === front ? '' : headline(page)}"; } }\n`
    + `.${pageName(page)} { page: ${pageName(page)}; }`).join('\n');
  return `<!DOCTYPE html>
<html lang="en" data-depth="all">
<head>
<meta charset="utf-8">
<title>${front.title}</title>
<link rel="stylesheet" href="theme.css">
<style>
${style}
${heads}
</style>
</head>
<body>
${pages.map((page) => leaf(page, inside) + (page === front ? contents(pages, numbers) : '')).join('\n')}
</body>
</html>
`;
}

const pageName = ({ base }) => `of-${base.replace(/[^\w-]/g, '-')}`;
const plain = (html) => html.replace(/<[^>]*>/g, '').replace(/&amp;/g, '&').replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&quot;/g, '"');
const headline = ({ label, title }) => plain(label ? `${label}: ${title}` : title).replace(/["\\]/g, '\\$&');

/** The name of a page's anchor in the file. */
export const anchorOf = (base, id) => (id ? `${base}--${id}` : base);

function leaf(page, inside) {
  const { base, title, label, shapes, article, kind } = page;
  const body = withoutClicks(ownNames(shapes + article, base, inside));
  const kicker = label ? `<span class="kicker">${label}<span class="heard">:</span></span> ` : '';
  return `<section class="leaf ${kind} ${pageName(page)}">\n<article>\n<header class="title"><h1 id="${anchorOf(base)}">${kicker}${title}</h1></header>\n${body}\n</article>\n</section>`;
}

/** Every name that has to be unique gets its page's before it. Links to pages that are not printed become text. */
function ownNames(html, base, inside) {
  const own = (id) => anchorOf(base, id);
  return html
    .replace(/<a (?:[^>]*? )?href="([^"#:]+\.[a-z]+)(?:#[^"]*)?"[^>]*>([\s\S]*?)<\/a>/g, (whole, file, text) => (inside.has(file) ? whole : text))
    .replace(/ href="(?:([\w.-]+)\.html)?(?:#([^"]*))?"/g, (_, page = base, id) => ` href="#${anchorOf(page, id)}"`)
    .replace(/ (id|for|aria-labelledby|aria-describedby)="([^"]*)"/g, (_, name, ids) => ` ${name}="${ids.split(' ').map(own).join(' ')}"`)
    .replace(/url\(#([^)]+)\)/g, (_, id) => `url(#${own(id)})`)
    .replace(/<svg class="p\d+"[\s\S]*?<\/svg>/g, (figure) => figure.replace(/( class=")(p\d+(?:c\d+)?")/g, `$1${base}-$2`)
      .replace(/<style>[\s\S]*?<\/style>/g, (style) => style.replace(/\.(p\d)/g, `.${base}-$1`)));
}

/** What waits to be unfolded is open; what only works in a page is left out. */
function withoutClicks(html) {
  return html
    .replace(/<details class="hint">[\s\S]*?<\/details>/g, '')
    .replace(/<(form|button)\b[\s\S]*?<\/\1>/g, '')
    .replace(/<p class="start">[\s\S]*?<\/p>/g, '')
    .replace(/ ?<a class="here"[\s\S]*?<\/a>/g, '')
    .replace(/<details\b(?![^>]* open)/g, '<details open');
}

function contents(pages, numbers) {
  const entry = (id, text, number, inner = '') => `<li><a href="#${id}">${number ? `<span class="number">${number}</span> ` : ''}<span class="name">${text}</span>`
    + `<span class="page">${numbers.get(id) ?? '000'}</span></a>${inner}</li>`;
  const items = pages.slice(1).map(({ base, title, label, article }) => {
    const sections = [...article.matchAll(/<h2 id="([^"]+)">([\s\S]*?)<\/h2>/g)]
      .map(([, id, text]) => entry(anchorOf(base, id), text.replace(/<a class="here"[\s\S]*?<\/a>/, '').replace(/<\/?a\b[^>]*>/g, '').replace(/ (?:id|aria-\w+)="[^"]*"/g, '').trim()));
    return entry(base, title, escape(label.replace(/^\w+ /, '')), sections.length ? `<ol>${sections.join('')}</ol>` : '');
  });
  return `<section class="leaf toc of-index"><article><header class="title"><h1 id="contents">Contents</h1></header><ol>${items.join('\n')}</ol></article></section>`;
}
