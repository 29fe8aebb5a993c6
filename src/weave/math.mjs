// Formulas as SVG with MathML for screen readers. Each is set alone and kept
// on disk by its hash; MathJax is loaded only when there is a new one.

import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { hash, readJson, readText, writeFile } from './files.mjs';
import { flatten, onGrid, relativePath } from './glyphs.mjs';
import { escape } from './html.mjs';

const FORMAT = 10;             // raise when the kept form of a formula changes
const EM_PER_EX = 0.475;       // the text face's x-height: sizes do not wait for the font
const HOLE = '\u0001';          // stands around a formula's key until it is drawn
const FORCED = 1000;           // uses of what has to be defined in any case
const PACKAGES = ['base', 'ams', 'boldsymbol', 'configmacros'];

/** The formulas of the book. */
export class Formulas {
  #file;
  #kept;
  #macros;
  #wanted = new Map();

  constructor(cacheFile, macros) {
    this.#file = cacheFile;
    this.#kept = readJson(cacheFile, {});
    this.#macros = macros;
  }

  /** Asks for a formula; the key gives it back once all are set. */
  ask(tex, display, where) {
    const key = hash(String(FORMAT), JSON.stringify(this.#macros), tex, String(display)).slice(0, 24);
    if (!this.#wanted.has(key)) this.#wanted.set(key, { tex, display, where });
    return key;
  }

  /** Sets the formulas that are new. A TeX error is a problem at its line. */
  async setAll(problems) {
    const fresh = [...this.#wanted].filter(([key]) => !this.#kept[key]);
    if (fresh.length === 0) return;
    const set = await loadMathJax(this.#macros);
    for (const [key, { tex, display, where }] of fresh) {
      try {
        this.#kept[key] = set(tex, display);
      } catch (error) {
        problems.add(where, `TeX: ${error.message} in ${display ? '$$' : '$'}${tex.trim()}${display ? '$$' : '$'}; correct the formula`);
      }
    }
    writeFile(this.#file, JSON.stringify(this.#kept));
  }

  /** A page's use of formulas: gives their HTML and, in the end, the shared glyphs. */
  page() {
    return new PageFormulas(this.#kept);
  }
}

/**
 * Draws a page's formulas. What is used often enough is defined once and used
 * by its name; what is not stands where it is used.
 */
class PageFormulas {
  #kept;
  #asked = new Map();      // formula: key -> how often the page shows it
  #words = new Map();
  #outlines = new Map();
  #often = new Set();      // the glyphs and words that are defined
  #shapes = new Map();     // what is defined, glyphs, words and formulas: name -> {id, markup}

  constructor(kept) {
    this.#kept = kept;
  }

  /** One use of a formula; `draw` puts its drawing there. */
  html(key) {
    const { attributes, mathml } = this.#kept[key];
    this.#asked.set(key, (this.#asked.get(key) ?? 0) + 1);
    return `<svg aria-hidden="true"${attributes}>${HOLE}${key}${HOLE}</svg>${mathml}`;
  }

  /** The page's text with every formula drawn. */
  draw(body) {
    for (const key of this.#asked.keys()) {
      const { words, glyphs } = this.#kept[key];
      for (const [name, word] of Object.entries(words)) this.#words.set(name, word);
      for (const [name, outline] of Object.entries(glyphs)) this.#outlines.set(name, outline);
    }
    this.#findOften();
    return body.replace(new RegExp(`${HOLE}(\\w+)${HOLE}`, 'g'), (_, key) => {
      const markup = () => this.#kept[key].body.map((shape) => this.#markup(shape)).join('');
      if (this.#asked.get(key) === 1) return markup();
      return `<use href="#${this.#defined(key, 'f', (id) => `<g id="${id}">${markup()}</g>`)}"/>`;
    });
  }

  /** Counts from the formulas down to the glyphs: a word that is not defined uses its letters wherever it stands. */
  #findOften() {
    const count = (uses, shapes, times = 1) => shapes.forEach(({ name, raw = '' }) => {
      if (name) uses.set(name, (uses.get(name) ?? 0) + times);
      for (const [, used] of raw.matchAll(/href="#([^"]+)"/g)) uses.set(used, FORCED);
    });
    const uses = new Map();
    for (const key of this.#asked.keys()) count(uses, this.#kept[key].body);
    // Sizes are of words or glyphs, words are of glyphs.
    const rank = ([, word]) => (Array.isArray(word) ? 1 : 0);
    for (const [name, word] of [...this.#words].sort((x, y) => rank(x) - rank(y))) {
      const times = uses.get(name) ?? 0;
      const parts = Array.isArray(word) ? word : [{ name: word.of }];
      const often = times * parts.length > times + parts.length;
      if (often || times >= FORCED || (times > 1 && !Array.isArray(word))) this.#often.add(name);
      count(uses, parts, this.#often.has(name) ? 1 : times);
    }
    for (const name of this.#outlines.keys()) if (uses.get(name) > 1) this.#often.add(name);
  }

  /** One shape: a use of what is defined, or what it is itself. */
  #markup({ name, x = 0, y = 0, rect, raw }) {
    if (rect) return `<rect x="${rect[0]}" y="${rect[1]}" width="${rect[2]}" height="${rect[3]}"/>`;
    if (raw) return raw.replace(/href="#([^"]+)"/g, (_, used) => `href="#${this.#part(used)}"`);
    const word = this.#words.get(name);
    if (this.#often.has(name)) return `<use href="#${this.#part(name)}"${at(x, y)}/>`;
    if (Array.isArray(word)) return word.map((letter) => this.#markup({ name: letter.name, x: x + letter.x, y: y + letter.y })).join('');
    if (!word) return `<path d="${this.#outlines.get(name).replace(/^m(-?\d+) ?(-?\d+)/, (_, right, down) => `m${x + Number(right)} ${y + Number(down)}`)}"/>`;
    return `<use href="#${this.#part(word.of)}" transform="${x || y ? `translate(${x},${y})` : ''}scale(${word.scale.replace(/^0/, '')})"/>`;
  }

  /** The id of a glyph or word, which is defined once. */
  #part(name) {
    const word = this.#words.get(name);
    return this.#defined(name, 'g', (id) => {
      if (!word) return `<path id="${id}" d="${this.#outlines.get(name)}"/>`;
      if (!Array.isArray(word)) return `<use id="${id}" href="#${this.#part(word.of)}" transform="scale(${word.scale.replace(/^0/, '')})"/>`;
      return `<g id="${id}">${word.map((letter) => this.#markup(letter)).join('')}</g>`;
    });
  }

  #defined(name, letter, markup) {
    if (!this.#shapes.has(name)) {
      const id = `${letter}${this.#shapes.size.toString(36)}`;
      this.#shapes.set(name, { id });
      this.#shapes.get(name).markup = markup(id);
    }
    return this.#shapes.get(name).id;
  }

  /** The shapes that the page's formulas share, once each. */
  shapes() {
    if (this.#shapes.size === 0) return '';
    const all = [...this.#shapes.values()].map(({ markup }) => markup);
    return `<svg class="glyphs" width="0" height="0" aria-hidden="true"><defs>${all.join('')}</defs></svg>\n`;
  }
}

const at = (x, y) => (x ? ` x="${x}"` : '') + (y ? ` y="${y}"` : '');

/** The macros of book/macros.json, as MathJax takes them. */
export function readMacros(root, problems) {
  const file = 'book/macros.json';
  if (!fs.existsSync(path.join(root, file))) return {};
  try {
    return JSON.parse(readText(path.join(root, file)));
  } catch (error) {
    problems.add({ file }, `is not valid JSON: ${error.message}`);
    return {};
  }
}

async function loadMathJax(macros) {
  const require = createRequire(import.meta.url);
  const mathjax = await require('mathjax').init({
    loader: { load: ['input/tex-base', '[tex]/ams', '[tex]/boldsymbol', '[tex]/configmacros', 'output/svg'] },
    tex: {
      packages: PACKAGES,
      macros,
      formatError: (_, error) => { throw new Error(error.message); },
    },
    svg: { fontCache: 'local' },
    startup: { typeset: false },
  });
  const { adaptor } = mathjax.startup;
  return (tex, display) => compact(
    adaptor.outerHTML(mathjax.tex2svg(tex, { display })),
    mathjax.tex2mml(tex, { display }));
}

/** MathJax's output without what a page does not need, its glyphs taken out. */
function compact(container, mathml) {
  if (/data-mml-node="merror"/.test(container)) throw new Error('not understood');
  const glyphs = {};
  let svg = container.match(/<svg[\s\S]*<\/svg>/)[0]
    .replace(/<defs>([\s\S]*?)<\/defs>/, (_, defs) => {
      for (const [, id, shape] of defs.matchAll(/<path id="([^"]+)" d="([^"]*)"/g)) {
        glyphs[shortId(id)] = relativePath(shape);
      }
      return '';
    })
    .replace(/xlink:href="#([^"]+)"/g, (_, id) => `href="#${shortId(id)}"`)
    .replace(/ (?:data-[\w-]+|xmlns(?::\w+)?|role|focusable)="[^"]*"/g, '')
    .replace(/<(use|rect|path|line|polygon)([^>]*)><\/\1>/g, '<$1$2/>');
  svg = svg.replace(/ (?:stroke|fill)="currentColor"| stroke-width="0"/g, '')
    .replace(/(-?[\d.]+)ex/g, (_, size) => `${round(Number(size) * EM_PER_EX)}em`);
  const [, attributes, body] = svg.match(/^<svg([^>]*)>([\s\S]*)<\/svg>$/);
  const { body: flat, words } = flatten(body);
  return { attributes: roundedBox(attributes), body: flat, words, glyphs, mathml: compactMathMl(mathml) };
}

/** The drawing's size, its viewBox on the grid of the outlines. */
function roundedBox(attributes) {
  return attributes
    .replace(/viewBox="([^"]*)"/, (_, box) => `viewBox="${box.split(' ').map(onGrid).join(' ')}"`)
    .replace(/style="vertical-align: ([^;"]*);?"/, 'style="vertical-align:$1"')
    .replace(/ height="[^"]*"/, '');   // follows from the width and the viewBox
}

/** MathML for screen readers: what only steers drawing is left out. */
function compactMathMl(mathml) {
  const row = /<mrow>(<(m\w+)>[^<]*<\/\2>)<\/mrow>/g;
  return mathml.replace(/>\s+</g, '><').replace(/ (?:data-[\w-]+|xmlns|stretchy|scriptlevel|displaystyle)="[^"]*"/g, '')
    .replace(row, '$1').replace(row, '$1').replace(/<mstyle>([\s\S]*?)<\/mstyle>/g, '<mrow>$1</mrow>')
    .replace(/&#x([0-9A-F]+);/g, (_, code) => escape(String.fromCodePoint(parseInt(code, 16))));
}

const shortId = (id) => id.replace(/^MJX-\d+-TEX-/, 'g');
const round = (number) => String(Math.round(number * 1000) / 1000);
