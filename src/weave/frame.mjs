// The page around the text: contents, depth switch, day and night, next page.

import { escape as escapePlain, withCurlyQuotes } from './html.mjs';
import { DEPTH_NAMES } from './expand.mjs';

const DEPTH_ADDRESSEES = { beginner: 'no symbols, no code', developer: 'code and its output', researcher: 'definitions, proofs, papers' };

const escape = (text) => escapePlain(withCurlyQuotes(text));

/** Gives a function that frames one finished page of the book; `programs` are those that run in it. */
export function framer(pages, early, programs) {
  const turning = pages.filter((page) => page.page);
  const bookTitle = pages.find((page) => page.kind === 'front')?.title ?? 'Many Heads';
  return (page) => {
    const i = turning.indexOf(page);
    return `<!DOCTYPE html>
<html lang="en"${programs ? ` data-programs="${programs}"` : ''}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(page.kind === 'front' ? bookTitle : `${page.title} · ${bookTitle}`)}</title>
${page.summary ? `<meta name="description" content="${escape(page.summary)}">\n` : ''}<meta name="color-scheme" content="light dark">
<link rel="icon" href="icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="theme.css">
${page.kind === 'reference' ? '<link rel="stylesheet" href="reference.css">\n' : ''}<script>${early}</script>
<script src="theme.js" defer></script>
<script src="exercises.js" defer></script>
</head>
<body class="${page.kind}">
${page.shapes ?? ''}<a class="skip" href="#text">Skip to the text</a>
${bar(bookTitle)}
<div class="columns">
<main id="text" tabindex="-1">
<article>
${heading(page)}
${page.kind === 'front' ? withStart(page.body.trim(), turning) : page.body.trim()}
${page.kind === 'front' ? chapterList(turning) : ''}</article>
${i < 0 ? '' : turn(turning[i - 1], turning[i + 1])}
</main>
${contents(pages, turning, page)}
</div>
</body>
</html>
`;
  };
}

/** The bar on top. */
function bar(bookTitle) {
  const button = (depth, name) => `<button type="button" data-depth="${depth}" aria-pressed="false">${name}</button>`;
  const depths = [...Object.entries(DEPTH_NAMES), ['all', 'All']].map(([depth, name]) => button(depth, name)).join('');
  return `<header class="bar">
<a class="home" href="index.html">${escape(bookTitle)}</a>
<div class="tools">
<button type="button" class="search" aria-keyshortcuts="/">Search</button>
<div class="depths" role="group" aria-label="Depth">${depths}</div>
<button type="button" class="light" aria-pressed="false"><svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true"><circle cx="10" cy="10" r="7" fill="none" stroke="currentColor" stroke-width="1.5"/><path d="M10 3a7 7 0 0 1 0 14z" fill="currentColor"/></svg><span class="heard">Night colours</span></button>
<a class="to-contents" href="#contents">Contents</a>
</div>
</header>`;
}

function heading(page) {
  const label = page.label ? `<p class="kicker">${escape(page.label)}</p>\n` : '';
  return `<header class="title">\n${label}<h1>${escape(page.title)}</h1>\n</header>`;
}

/** Ways into the first chapter, one a depth, behind the front page's first paragraph. */
function withStart(body, turning) {
  const first = turning.find((page) => page.kind === 'chapter');
  if (!first) return body;
  const ways = Object.entries(DEPTH_NAMES).map(([depth, name]) =>
    `<a href="${first.html}?depth=${depth}"><span class="heard">${escape(first.label)}: </span>${name}<span class="way">${DEPTH_ADDRESSEES[depth]}</span></a>`);
  return body.replace('</p>', `</p>\n<nav class="start" aria-label="Start with ${escape(first.label)}">${ways.join('')}</nav>`);
}

/** The chapters with the question each answers. */
function chapterList(turning) {
  const items = turning.filter((page) => page.kind === 'chapter').map((page) =>
    `<li><a href="${page.html}"><span class="number">${page.page.number}</span> <span class="name">${escape(page.title)}</span></a>`
    + `<p>${escape(page.summary)}</p></li>`);
  if (items.length === 0) return '';
  return `<section class="chapters" aria-labelledby="the-chapters"><h2 id="the-chapters">The chapters</h2>\n<ol>${items.join('\n')}</ol></section>\n`;
}

function turn(before, after) {
  const link = (page, rel, key, name) => (page
    ? `<a rel="${rel}" href="${page.html}" aria-keyshortcuts="${key}"><span class="way">${name}</span> <span class="name">${escape(page.label ? `${page.label}: ${page.title}` : page.title)}</span></a>`
    : '<span></span>');
  return `<nav class="turn" aria-label="Previous and next page">${link(before, 'prev', 'ArrowLeft', 'Previous')}${link(after, 'next', 'ArrowRight', 'Next')}</nav>`;
}

/**
 * Every page of the book, with the sections of the current one. The front page
 * has all sections, and all code and reference, which other pages only link to.
 */
function contents(pages, turning, current) {
  const whole = current.kind === 'front';
  const link = (page, text) => `<a href="${page.html}"${page === current ? ' aria-current="page"' : ''}>${text}</a>`;
  const firstOfBack = turning.find((page) => /^[A-Z]/.test(page.page.reference ?? ''));
  const bookPage = (page) => {
    const number = page.page.reference ? `<span class="number">${page.page.reference}</span> ` : '';
    const place = /^\d+[a-z]/.test(page.page.reference ?? '') ? ' class="sub"' : page === firstOfBack ? ' class="back"' : '';
    return `<li${place}>${link(page, number + escape(page.title))}${whole || page === current ? sectionList(page, page === current) : ''}</li>`;
  };
  const group = (title, kind) => {
    const members = pages.filter((page) => page.kind === kind);
    if (members.length === 0) return '';
    const open = members.includes(current) ? ' open' : '';
    return `<details${open}><summary>${title}</summary><ul>${members.map((page) => `<li>${link(page, escape(page.title))}</li>`).join('')}</ul></details>\n`;
  };
  const code = whole || !current.page
    ? `<div id="code-and-reference">${group('Full listings', 'listing')}${group('Library sources', 'source')}${group('Reference', 'reference')}</div>`
    : '<p><a href="index.html#code-and-reference">All code and the reference</a></p>';
  return `<nav id="contents" class="contents" aria-label="Contents">
<ol class="pages">${turning.map(bookPage).join('\n')}</ol>
${code}</nav>`;
}

function sectionList(page, open) {
  const sections = page.page.sections.filter((section) => section.level === 2);
  if (sections.length === 0) return '';
  const items = sections.map(({ id, text, depth }) => {
    const solvable = page.page.exercisesIn.get(id);
    return `<li${depth ? ` data-depth="${depth}"` : ''}><a href="${page.html}#${id}"${solvable ? ` data-of="${solvable.join(' ')}"` : ''}>${escape(text)}</a></li>`;
  });
  const name = page.label || page.title;
  return `<details class="sections"${open ? ' open' : ''}><summary><span class="heard">Sections of ${escape(name)}</span></summary>`
    + `<ul>${items.join('')}</ul></details>`;
}
