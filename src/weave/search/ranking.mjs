// Which places answer a question, the best first. Read by the page's search and
// by its tests.

import MiniSearch from 'minisearch';
import { askedWords, wordsOf } from './words.mjs';

// What a word is worth where it stands.
const WEIGHTS = { title: 16, heading: 6, names: 2.5, text: 1 };
const OF_KIND = {
  section: 1.6, term: 1.3, exercise: 1.1, claim: 0.7, reference: 0.7, report: 0.7, code: 0.5, work: 0.6,
  solution: 0.5, listing: 0.35, source: 0.35,
};
const AS_ASKED = 3;        // a title or heading that is what was asked, no more and no less
const FEW = 3;             // with fewer answers that have every word, those that have some follow
const NEARLY = 0.5;        // of the best answer's worth: the reader's own depth may then stand for a section
const AT_A_TIME = 200;     // places read before the page may move again

const LOOK = {
  prefix: (word) => word.length > 1,
  fuzzy: (word) => (word.length > 4 ? 0.2 : false),   // one letter wrong in five, two in eight
  boost: WEIGHTS,
  boostDocument: (_, __, { kind }) => OF_KIND[kind] ?? 1,
};

// When nothing answers: two letters exchanged are two wrong ones.
const LOOK_AGAIN = { ...LOOK, fuzzy: (word) => (word.length > 3 ? 0.34 : false) };

/** The places of the book, ready to be asked. */
export class Search {
  #index = new MiniSearch({
    fields: Object.keys(WEIGHTS), storeFields: ['kind'],
    tokenize: wordsOf, processTerm: (word) => word,
    searchOptions: { tokenize: askedWords },
  });
  #places;

  /** `pages` and `places` as search_index.mjs writes them. */
  constructor({ pages, places }) {
    this.#places = places.map(([page, anchor, kind, depth, heading, text, names], id) => ({
      id, page: pages[page], anchor, kind, depth, heading, text, names: names ? names.split(' ') : [],
    }));
  }

  /** Reads every place; the page can be used meanwhile. */
  async read() {
    await this.#index.addAllAsync(this.#places.map((place) => ({
      ...place, names: place.names.join(' '),
      title: place.anchor === '' ? `${place.page.title} ${place.page.label}` : '',
    })), { chunkSize: AT_A_TIME });
    return this;
  }

  /**
   * The answers to what was typed: {found: [{place, words}], all}. `words` are
   * those of the place that answer; `all` says whether each answer has every
   * word asked. Of a section that answers at several depths one stands for all,
   * the one at `depth` if it is among them.
   */
  ask(typed, depth = 'all') {
    const asked = askedWords(typed);
    if (asked.length === 0) return { found: [], all: true };
    const answers = this.#ask(typed, asked, depth, LOOK);
    return answers.found.length ? answers : this.#ask(typed, asked, depth, LOOK_AGAIN);
  }

  #ask(typed, asked, depth, look) {
    const whole = this.#index.search(typed, { ...look, combineWith: 'AND' });
    const all = whole.length >= FEW || asked.length === 1;
    const known = new Set(whole.map(({ id }) => id));
    const some = all ? [] : this.#index.search(typed, { ...look, combineWith: 'OR' }).filter(({ id }) => !known.has(id));
    const found = [whole, some].map((answers) => this.#byWorth(answers, asked)
      .map(({ id, score, terms }) => ({ place: this.#places[id], score, words: new Set(terms) })));
    return { found: oneOfEachSection(found, depth), all: some.length === 0 };
  }

  #byWorth(answers, asked) {
    const question = asked.join('');
    const worth = ({ id, score }) => {
      const { anchor, heading, page } = this.#places[id];
      const title = askedWords(anchor === '' ? page.title.replace(/^mha::/, '') : heading).join('');
      return title === question ? score * AS_ASKED : score;
    };
    return answers.map((answer) => ({ ...answer, score: worth(answer) })).sort((a, b) => b.score - a.score || a.id - b.id);
  }
}

/** The answers of both kinds, those with every word and those with some, each section once. */
function oneOfEachSection([whole, some], depth) {
  const kept = new Map();
  const keep = (answers) => {
    const best = new Map();
    for (const answer of answers) {
      const { kind, page, heading, id } = answer.place;
      const section = kind === 'section' ? `${page.html} ${heading}` : id;
      if (kept.has(section)) continue;
      const before = best.get(section);
      const nearer = answer.place.depth === depth && before?.place.depth !== depth;
      if (!before || (nearer && answer.score >= NEARLY * before.score)) best.set(section, answer);
    }
    for (const [section, answer] of best) kept.set(section, answer);
  };
  keep(whole);
  keep(some);
  return [...kept.values()].map(({ place, words }) => ({ place, words }));
}
