// A page's HTML as a tree, for what reads finished text instead of writing it.

import { escape, unescape } from './html.mjs';

const TOKEN = /<!--[\s\S]*?-->|<(\/?)([a-zA-Z][\w-]*)((?:[^<>"]|"[^"]*")*?)(\/?)>|[^<]+|</g;
const ATTRIBUTE = /([\w:-]+)(?:="([^"]*)")?/g;
const VOID = new Set(['area', 'br', 'col', 'hr', 'img', 'input', 'link', 'meta', 'wbr']);

/** The tree of an HTML fragment whose values stand in quotes: {tag, attributes, children}, text as strings. */
export function treeOf(html) {
  const root = { tag: '', attributes: {}, children: [] };
  const open = [root];
  for (const [token, closes, tag, attributes, closed] of html.matchAll(TOKEN)) {
    if (closes) {
      const at = open.findLastIndex((node) => node.tag === tag);
      if (at > 0) open.length = at;
    } else if (tag) {
      const node = { tag, attributes: attributesOf(attributes), children: [] };
      open.at(-1).children.push(node);
      if (!closed && !VOID.has(tag)) open.push(node);
    } else if (!token.startsWith('<!--')) {
      open.at(-1).children.push(unescape(token));
    }
  }
  return root;
}

function attributesOf(text) {
  return Object.fromEntries([...text.matchAll(ATTRIBUTE)].map(([, name, value]) => [name, unescape(value ?? '')]));
}

/** Whether an element has this class. */
export function hasClass(node, name) {
  return (node.attributes?.class ?? '').split(' ').includes(name);
}

/** The first element below `node` that `wanted` accepts. */
export function findIn(node, wanted) {
  for (const child of node.children ?? []) {
    const found = typeof child === 'string' ? null : (wanted(child) ? child : findIn(child, wanted));
    if (found) return found;
  }
  return null;
}

/** Every element below `node` that `wanted` accepts, in order. */
export function findAll(node, wanted) {
  return (node.children ?? []).flatMap((child) => {
    if (typeof child === 'string') return [];
    return wanted(child) ? [child, ...findAll(child, wanted)] : findAll(child, wanted);
  });
}

/** The element as HTML again. */
export function htmlOf(node) {
  if (typeof node === 'string') return escape(node);
  const attributes = Object.entries(node.attributes).map(([name, value]) => ` ${name}="${escape(value)}"`).join('');
  return `<${node.tag}${attributes}>${VOID.has(node.tag) ? '' : `${innerHtml(node)}</${node.tag}>`}`;
}

/** What stands inside an element, as HTML. */
export function innerHtml(node) {
  return node.children.map(htmlOf).join('');
}

/** Whether an element shows nothing. */
export function isBlank(node) {
  return typeof node === 'string' ? node.trim() === '' : node.children.every(isBlank);
}

// How a formula is written on one line, from what its parts are written as.
const WRITTEN = {
  msub: ([base, below]) => `${base}_${below}`,
  msup: ([base, above]) => `${base}${{ 2: '²', 3: '³' }[above] ?? `^${above}`}`,
  msubsup: ([base, below, above]) => `${base}_${below}^${above}`,
  munderover: ([base, below, above]) => `${base}_${below}^${above} `,
  munder: ([base, below]) => `${base}_${below} `,
  mfrac: ([over, under]) => `${over}/${under}`,
  msqrt: (parts) => `√${parts.join('')}`,
  mtr: (parts) => `${parts.join(' ')}; `,
  mo: ([mark = '']) => (/^[=<>≤≥≈≠∈×+−·→∼]$/.test(mark) ? ` ${mark} ` : /^[,;]$/.test(mark) ? `${mark} ` : mark),
};

/** A formula's MathML as one line of text: `d_model²/H`. */
export function mathText(node) {
  if (typeof node === 'string') return node.replace(/[\u2061-\u2064]/g, '');
  const parts = node.children.map(mathText);
  return WRITTEN[node.tag]?.(parts) ?? parts.join('');
}
