// Formulas as SVG with MathML for screen readers. Each is set alone and kept
// on disk by its hash; MathJax is loaded only when there is a new one.

import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { hash, readJson, readText, writeFile } from './files.mjs';
import { flatten, onGrid, relativePath } from './glyphs.mjs';
import { escape } from './html.mjs';

const FORMAT = 8;              // raise when the kept form of a formula changes
const EM_PER_EX = 0.475;       // the text face's x-height: sizes do not wait for the font
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

class PageFormulas {
  #kept;
  #shapes = new Map();   // glyphs and words: name -> {id, markup}
  #bodies = new Map();   // formulas: key -> {id, markup}

  constructor(kept) {
    this.#kept = kept;
  }

  /** One use of a formula; its drawing is kept once a page. */
  html(key) {
    const { attributes, mathml } = this.#kept[key];
    return `<svg aria-hidden="true"${attributes}><use href="#${this.#body(key)}"/></svg>${mathml}`;
  }

  #body(key) {
    const { body, words, glyphs } = this.#kept[key];
    if (!this.#bodies.has(key)) {
      for (const [name, outline] of Object.entries(glyphs)) this.#shape(name, (id) => `<path id="${id}" d="${outline}"/>`);
      for (const [name, letters] of Object.entries(words)) this.#shape(name, (id) => `<g id="${id}">${this.#named(letters)}</g>`);
      const id = `f${this.#bodies.size.toString(36)}`;
      this.#bodies.set(key, { id, markup: this.#named(body).replace(/^<g /, `<g id="${id}" `) });
    }
    return this.#bodies.get(key).id;
  }

  #shape(name, markup) {
    if (this.#shapes.has(name)) return;
    const id = `g${this.#shapes.size.toString(36)}`;
    this.#shapes.set(name, { id, markup: markup(id) });
  }

  /** Markup with the page's short ids. */
  #named(markup) {
    return markup.replace(/href="#([^"]+)"/g, (_, name) => `href="#${this.#shapes.get(name).id}"`);
  }

  /** The shapes the page's formulas use, once each. */
  shapes() {
    if (this.#bodies.size === 0) return '';
    const all = [...this.#shapes.values(), ...this.#bodies.values()].map(({ markup }) => markup);
    return `<svg class="glyphs" width="0" height="0" aria-hidden="true"><defs>${all.join('')}</defs></svg>\n`;
  }
}

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
