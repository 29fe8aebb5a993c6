// What search finds: the places of a finished page, each with its words.

import { findIn, hasClass, mathText, treeOf } from './html_tree.mjs';

/** Every place of a finished page, in its order: {anchor, kind, depth, heading, text, names}. */
export function documentsOf(page) {
  return FILES.has(page.kind) ? [wholeFile(page)] : new Places(page).all();
}

const FILES = new Set(['listing', 'source']);
const HEADING = /^h[2-6]$/;
const BREAKS = /^(?:p|li|dt|dd|tr|td|th|pre|div|figcaption|summary|br|blockquote|table|ul|ol)$/;
const IDENTIFIER = /[A-Za-z_]\w*/g;
const KEYWORDS = new Set(`alignas auto bool break case catch char class concept const consteval constexpr continue
  default delete do double else enum explicit false float for friend if inline int long mutable namespace new noexcept
  nullptr operator private public requires return short signed size_t sizeof static static_cast std struct switch
  template this throw true try typename unsigned using void while CHECK CAPTURE TEST_CASE include mha std Eigen size begin end`.split(/\s+/));

// Left out: what repeats, what only works in a page, and what would give an
// exercise away.
const PASSED_OVER = (node) => /^(?:svg|form|button|nav)$/.test(node.tag)
  || ['here', 'depth-label', 'hint', 'exercise-facts', 'exercise-end', 'exercise-start', 'exercise-list', 'n',
    'names', 'place', 'what'].some((name) => hasClass(node, name))
  || (node.tag === 'figure' && hasClass(node, 'output'));

/** A file's full listing is found by its name: its parts stand in the book's pages. */
function wholeFile(page) {
  return { anchor: '', depth: '', kind: page.kind, heading: '', text: '', names: new Set() };
}

/** Goes through one page and notes its places. */
class Places {
  #places = [];
  #now;

  constructor(page) {
    this.#begin({ kind: page.kind === 'reference' ? 'reference' : 'section' });
    const tree = treeOf(page.body.replace(/<svg\b[\s\S]*?<\/svg>/g, ''));
    this.#read(tree);
  }

  /** Those that say something. */
  all() {
    for (const place of this.#places) place.text = place.text.replace(/\s+/g, ' ').replace(/ ([.,;:!?)])(?=\s|$)/g, '$1').trim();
    return this.#places.filter(({ heading, text, names }, i) => i === 0 || heading || text || names.size > 0);
  }

  #begin(place) {
    this.#now = { anchor: '', depth: '', heading: '', text: '', names: new Set(), ...place };
    this.#places.push(this.#now);
  }

  /** Reads an element as a place of its own, then goes on with the one around it. */
  #within(node, place) {
    const around = this.#now;
    this.#begin({ depth: around.depth, ...place });
    this.#readAll(node);
    this.#now = around;
  }

  #readAll(node) {
    if (hasClass(node, 'listing')) {
      this.#readCode(findIn(node, (child) => child.tag === 'pre'));
      return;
    }
    for (const child of node.children) this.#read(child);
  }

  #read(node) {
    if (typeof node === 'string') {
      this.#now.text += node;
      return;
    }
    if (PASSED_OVER(node)) return;
    const { tag, attributes: { id = '' } } = node;
    const own = ownPlace(node, this.#now);
    if (own) this.#within(own.inside ?? node, own.place);
    else if (HEADING.test(tag) && id && this.#now.kind !== 'reference') this.#begin({ kind: this.#now.kind, depth: this.#now.depth, anchor: id, heading: words(node) });
    else if (tag === 'math') this.#now.text += mathText(node).replace(/; $/, '');
    else if (tag === 'pre') this.#readCode(node);
    else {
      if (tag === 'code') this.#name(words(node));
      this.#readAll(node);
      if (BREAKS.test(tag)) this.#now.text += ' ';
    }
  }

  /** Code: its names, and its comments as text. Its strings say elsewhere what they say. */
  #readCode(node) {
    for (const child of node.children) {
      if (typeof child === 'string') this.#name(child);
      else if (child.tag === 'i') this.#now.text += words(child).replace(/\/\/\/?|\\(?:t?param|returns?|throws)\b/g, ' ');
      else if (child.tag !== 'q' && !PASSED_OVER(child)) this.#readCode(child);
    }
    this.#now.text += ' ';
  }

  /** The identifiers in a piece of code. */
  #name(code) {
    for (const [name] of code.matchAll(IDENTIFIER)) {
      if (name.length > 2 && !KEYWORDS.has(name)) this.#now.names.add(name);
    }
  }
}

/** The place that an element is, with what of it is read; null for one that is a part of another. */
function ownPlace(node, around) {
  const { tag, attributes: { id = '' } } = node;
  if (hasClass(node, 'depth')) {
    return { place: { kind: around.kind, anchor: id, depth: node.attributes['data-depth'], heading: around.heading } };
  }
  if (hasClass(node, 'exercise') && tag === 'section') {
    const title = findIn(node, (child) => hasClass(child, 'exercise-title'));
    return { place: { kind: 'exercise', anchor: title.attributes.id, heading: words(title) }, inside: without(node, title) };
  }
  if (hasClass(node, 'claim')) {
    const summary = findIn(node, (child) => child.tag === 'summary');
    const sentence = findIn(summary, (child) => hasClass(child, 'sentence'));
    return { place: { kind: 'claim', anchor: id, heading: words(sentence) }, inside: without(node, summary) };
  }
  if (hasClass(node, 'solution')) {
    return { place: { kind: 'solution', anchor: id, heading: words(findIn(node, (child) => child.tag === 'summary')) }, inside: { children: [] } };
  }
  if (hasClass(node, 'listing') && id) {
    return { place: { kind: 'code', anchor: id, heading: words(findIn(node, (child) => hasClass(child, 'part'))) } };
  }
  if (tag === 'p' && id.startsWith('term-')) {
    const term = findIn(node, (child) => /^(?:b|strong)$/.test(child.tag));
    return { place: { kind: 'term', anchor: id, heading: words(term).replace(/\.$/, '') }, inside: without(node, term) };
  }
  if (tag === 'tr' && id) return { place: { kind: 'report', anchor: id } };
  if (tag === 'li' && id.startsWith('ref-')) return { place: { kind: 'work', anchor: id } };
  if (hasClass(node, 'member')) {
    const title = findIn(node, (child) => hasClass(child, 'memtitle'));
    return { place: { kind: 'reference', anchor: id, heading: words(title) }, inside: without(node, title) };
  }
  return null;
}

/** The same element without one of those below it. */
function without(node, left) {
  const children = node.children.filter((child) => child !== left)
    .map((child) => (typeof child === 'string' ? child : without(child, left)));
  return { ...node, children };
}

/** All text below an element. */
function words(node, between = '') {
  if (typeof node === 'string') return node;
  if (PASSED_OVER(node)) return '';
  if (node.tag === 'math') return mathText(node);
  return node.children.map((child) => words(child, between)).join(between).replace(/\s+/g, ' ').trim();
}
