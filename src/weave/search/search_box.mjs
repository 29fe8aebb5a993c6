// The page's search: a box over the page, read only when it is opened. The
// keyboard goes through the answers while the focus stays where one types.

import { element } from '../element.mjs';
import { excerpt, marked, namesFound } from './excerpts.mjs';
import { Search } from './ranking.mjs';
import style from './search_box.css';

const SHOWN = 30;
const STORE = 'many-heads-search';
const KINDS = { claim: 'Claim', code: 'Code', report: 'Bug report' };
const INDEX = 'search_index.js';

let search = null;       // once the index is read
let found = [];
let chosen = -1;
let asked = '';

const box = element('dialog', { className: 'search-box', ariaLabel: 'Search' });
const input = element('input', {
  type: 'text', id: 'search-input', role: 'combobox', autocomplete: 'off', spellcheck: false, inputMode: 'search', enterKeyHint: 'go',
  ariaLabel: 'Search the book', placeholder: 'Words, or a name of code',
});
const close = element('button', { type: 'button', textContent: 'Close' });
const status = element('p', { role: 'status' });
const list = element('div', { id: 'search-found', role: 'listbox', ariaLabel: 'Answers' });

/** Makes the box, and opens it. */
function build() {
  const head = element('div', { className: 'search-head' }, input, close);
  box.append(element('style', { textContent: style }), head, status, list);
  for (const [name, value] of [['aria-controls', list.id], ['aria-autocomplete', 'list'], ['aria-expanded', 'false']]) input.setAttribute(name, value);
  document.body.append(box);
  input.addEventListener('input', answer);
  input.addEventListener('keydown', go);
  close.addEventListener('click', () => box.close());
  box.addEventListener('click', (event) => { if (event.target === box) box.close(); });
  list.addEventListener('click', (event) => {
    const link = event.target.closest('a');
    if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey) leaveFor(link, event);
  });
  input.value = kept();
}

function open() {
  if (box.open) return;
  box.showModal();
  input.select();
}

/** Takes the index; called by the file that holds it. */
async function read(index) {
  search = await new Search(index).read();
  answer();
}

function kept() {
  try {
    return sessionStorage.getItem(STORE) ?? '';
  } catch {
    return '';
  }
}

function keep(text) {
  try {
    sessionStorage.setItem(STORE, text);
  } catch {
    // The next opening then begins empty.
  }
}

/** Answers what stands in the field. */
function answer() {
  if (!search) {
    status.textContent = 'Reading the book …';
    return;
  }
  asked = input.value.trim();
  keep(asked);
  const { found: answers, all } = search.ask(asked, document.documentElement.dataset.depth);
  found = answers;
  status.textContent = summary(found.length, all);
  list.replaceChildren(...found.slice(0, SHOWN).map(option));
  list.scrollTop = 0;
  input.setAttribute('aria-expanded', String(found.length > 0));
  choose(found.length ? 0 : -1);
}

function summary(count, all) {
  if (asked === '') return 'Arrow keys choose, Enter goes there, Escape closes.';
  if (count === 0) return `Nothing in the book answers “${asked}”.`;
  const places = count === 1 ? '1 place' : `${count} places`;
  return `${places}${all ? '' : '; not all of them have every word'}${count > SHOWN ? `. The first ${SHOWN} are shown` : ''}.`;
}

function option({ place, words }, i) {
  const { page, anchor, kind, depth, heading, text, names } = place;
  const where = [page.label, heading ? page.title : ''].filter(Boolean).join(' · ');
  const facts = [KINDS[kind], depth && `${depth[0].toUpperCase()}${depth.slice(1)}`].filter(Boolean);
  const piece = excerpt(text, words);
  const inText = marked(piece, words);
  const answered = inText.some((part) => part.marked) ? [] : namesFound(names, words);
  const link = element('a', { id: `search-found-${i}`, role: 'option', href: `${page.html}${anchor ? `#${anchor}` : ''}`, tabIndex: -1 },
    element('span', { className: 'search-where' }, where, ...facts.map((fact) => element('span', { className: 'search-fact', textContent: fact }))),
    element('span', { className: 'search-title' }, ...nodes(marked(heading || page.title, words))),
    ...answered.length ? [element('span', { className: 'search-names' }, ...answered.flatMap((name) => [element('code', {}, ...nodes(marked(name, words))), ' ']))] : [],
    ...piece ? [element('span', { className: 'search-text' }, ...nodes(inText))] : []);
  link.setAttribute('aria-selected', 'false');
  return link;
}

const nodes = (pieces) => pieces.map((piece) => (piece.marked ? element('mark', { textContent: piece.text }) : piece.text));

function choose(i) {
  list.children[chosen]?.setAttribute('aria-selected', 'false');
  chosen = i;
  const link = list.children[chosen];
  if (!link) {
    input.removeAttribute('aria-activedescendant');
    return;
  }
  link.setAttribute('aria-selected', 'true');
  link.scrollIntoView({ block: 'nearest' });
  input.setAttribute('aria-activedescendant', link.id);
}

function go(event) {
  const { length } = list.children;
  if (event.isComposing) return;
  if (event.key === 'Enter' && list.children[chosen]) {
    event.preventDefault();
    list.children[chosen].click();
  } else if (length && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
    event.preventDefault();
    choose((chosen + (event.key === 'ArrowDown' ? 1 : length - 1)) % length);
  }
}

/** A place on this page: the box goes away, and the page shows it even where the address stays the same. */
function leaveFor(link, event) {
  box.close();
  if (link.pathname !== location.pathname || !link.hash) return;
  event.preventDefault();
  if (link.hash === location.hash) window.dispatchEvent(new HashChangeEvent('hashchange'));
  else location.hash = link.hash;
}

build();
window.manyHeadsSearch = { open, read };   // what reads this script then opens it
answer();
document.head.append(element('script', {
  src: INDEX,
  onerror: () => { status.textContent = `${INDEX} is missing beside this page; make the book again with ./mha book.`; },
}));
