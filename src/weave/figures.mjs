// A program's SVG, made fit to stand in a page.

import { escape, unescape } from './html.mjs';

const OFTEN = 4;   // from so many equal elements on, they share one definition
const NOT_KEPT = /\s(?:xmlns(?::\w+)?|viewBox|width|height|role|id|class|style|aria-\w+|version)="[^"]*"/g;
const HEAD = /^<svg\b([^>]*)>\s*<title\b[^>]*>([\s\S]*?)<\/title>\s*<desc\b[^>]*>([\s\S]*?)<\/desc>/;

/** The SVG inlined: ids start with `prefix`, title and description are its text alternative. */
export function inlineSvg(text, prefix) {
  const svg = text.replace(/<\?xml[\s\S]*?\?>|<!DOCTYPE[^>]*>|<!--[\s\S]*?-->/g, '')
    .replace(/<[^>]*>/g, (tag) => tag.replace(/='([^'"]*)'/g, '="$1"')).trim();
  if (!svg.startsWith('<svg')) throw new Error('the program wrote no <svg>; its file must be one SVG element');
  const head = svg.match(HEAD);
  if (!head || !head[2].trim() || !head[3].trim()) {
    throw new Error('the figure has no text alternative; begin its SVG with <title> and <desc>');
  }
  const [whole, attributes, title, desc] = head;
  const { width, height, viewBox } = sizeOf(attributes);
  const drawn = attributes.replace(NOT_KEPT, '').trim();
  const opening = `<svg class="${prefix}"${drawn ? ` ${drawn}` : ''} role="img" aria-labelledby="${prefix}-title ${prefix}-desc" `
    + `viewBox="${viewBox}" width="${width}" height="${height}" style="min-width:${Math.min(width, Math.max(460, Math.round(0.75 * width)))}px">`
    + `<title id="${prefix}-title">${escape(unescape(title.trim()))}</title>`
    + `<desc id="${prefix}-desc">${escape(unescape(desc.trim()))}</desc>`;
  const body = svg.slice(whole.length).replace(/>\s*\n\s*</g, '><');
  if (/<(?:script|foreignObject)\b/.test(body) || /\b(?:href|src)\s*=\s*["'](?!#)/.test(body)) {
    throw new Error('the figure holds a script or a link to another file; draw it with plain shapes');
  }
  return opening + shareStyles(shareRectangles(ownIds(body, prefix), prefix), prefix);
}

function sizeOf(attributes) {
  const get = (name) => attributes.match(new RegExp(`\\b${name}="([^"]*)"`))?.[1];
  const box = get('viewBox')?.trim().split(/[\s,]+/).map(Number);
  const width = box?.[2] ?? Number.parseFloat(get('width'));
  const height = box?.[3] ?? Number.parseFloat(get('height'));
  if (!(width > 0 && height > 0)) throw new Error('the figure has no size; give its <svg> a viewBox');
  return { width, height, viewBox: (box ?? [0, 0, width, height]).join(' ') };
}

function ownIds(body, prefix) {
  return body.replace(/ id="([^"]+)"/g, ` id="${prefix}-$1"`)
    .replace(/url\(#([^)]+)\)/g, `url(#${prefix}-$1)`)
    .replace(/ (?:xlink:)?href="#([^"]+)"/g, ` href="#${prefix}-$1"`)
    .replace(/ xmlns(?::\w+)?="[^"]*"/g, '')
    .replace(/var\((--\w+),[^)]*\)/g, 'var($1)').replace(/="(-?\d*)\.(\d*?)0*"/g, (_, whole, part) => `="${part ? `${whole === '0' ? '' : whole}.${part}` : whole}"`);
}

/** What `pattern` matches often in `body`: text -> {count, name}. */
function countEqual(body, pattern, prefix) {
  const found = new Map();
  for (const [text] of body.matchAll(pattern)) {
    const known = found.get(text) ?? { count: 0 };
    known.count += 1;
    found.set(text, known);
  }
  const often = [...found].filter(([, { count }]) => count >= OFTEN);
  return new Map(often.map(([text, { count }], i) => [text, { count, name: `${prefix}${i}` }]));
}

/** The size that most rectangles have is written once, in the figure's style. */
function shareRectangles(body, prefix) {
  const sizes = [...countEqual(body, / width="[\d.]+" height="[\d.]+" rx="[\d.]+"/g, prefix)].sort(([, a], [, b]) => b.count - a.count);
  if (sizes.length === 0) return body;
  const [size] = sizes[0];
  const [width, height, rx] = size.match(/[\d.]+/g);
  return `<style>.${prefix} rect:not([width]){width:${width}px;height:${height}px;rx:${rx}px}</style>`
    + body.replaceAll(size, '').replace(/(<rect\b[^>]*[^/])><\/rect>/g, '$1/>');
}

const STYLE = / (?:text-anchor|font-size|font-weight|fill|fill-opacity|stroke|stroke-width|stroke-opacity)="[^"]*"/g;
const STYLED = new RegExp(`(?:${STYLE.source})+`, 'g');

/** Puts an element's presentation attributes side by side, behind the others. */
const styleLast = (body) => body.replace(/<[a-z]\w*[^>]*>/g, (tag) => {
  const style = tag.match(STYLE)?.join('') ?? '';
  return tag.replace(STYLE, '').replace(/\s*(\/?)>$/, (_, closed) => `${style}${closed}>`);
});

/** Equal presentation attributes become a class of the figure's own. */
function shareStyles(unordered, prefix) {
  const body = styleLast(unordered);
  const styles = countEqual(body, STYLED, `${prefix}c`);
  const shared = body.replace(STYLED, (style) => (styles.has(style) ? ` class="${styles.get(style).name}"` : style));
  const rules = [...styles].map(([style, { name }]) => {
    const properties = [...style.matchAll(/ ([\w-]+)="([^"]*)"/g)].map(([, key, value]) =>
      `${key}:${key === 'font-size' && /^[\d.]+$/.test(value) ? `${value}px` : value}`);
    return `.${name}{${properties.join(';')}}`;
  });
  return rules.length ? `<style>${rules.join('')}</style>${shared}` : shared;
}
