// What a link leads to, shown beside it: a source, what a term or a name of the
// library is, a numbered formula of the page. The link's title, or the formula itself.

import { element } from './element.mjs';
import style from './preview.css';

const PATIENCE = 200;   // milliseconds, for a pointer that only passes
const BREADTH = { words: 384, formula: 640 };   // pixels, at most
const MARGIN = 8;

document.head.append(element('style', { textContent: style }));
const card = element('div', { id: 'preview', className: 'preview', role: 'tooltip', hidden: true });
document.querySelector('main').append(card);

const titles = new Map();   // place -> words
let shown = null;   // the link whose card it is
let timer = 0;

/** Shows what the link leads to, until pointer and focus have left it. */
export function preview(link) {
  clearTimeout(timer);
  if (link === shown) return;
  timer = setTimeout(() => show(link), PATIENCE);
  const leave = () => { if (link !== shown) clearTimeout(timer); };
  link.addEventListener('pointerleave', leave, { once: true });
  link.addEventListener('blur', leave, { once: true });
}

/** What is said of the link's place; only the page's first link to it says it. */
function titleOf(link) {
  if (link.title) {
    titles.set(link.href, link.title);
    link.removeAttribute('title');   // or the browser shows it as well
  }
  const first = document.querySelector(`article a[title][href="${link.getAttribute('href')}"]`);
  return titles.get(link.href) ?? first?.title;
}

/** A formula without its ids, which a page has once. */
function formulaAt({ hash, pathname }) {
  const target = pathname === location.pathname && document.getElementById(decodeURIComponent(hash.slice(1)));
  if (!target?.classList.contains('equation')) return null;
  const copy = target.cloneNode(true);
  copy.removeAttribute('id');
  for (const named of copy.querySelectorAll('[id]')) named.removeAttribute('id');
  for (const tabbed of copy.querySelectorAll('[tabindex]')) tabbed.removeAttribute('tabindex');
  return copy;
}

function show(link) {
  hide();
  const words = titleOf(link);
  const inside = words ?? formulaAt(link);
  if (!inside) return;
  card.replaceChildren(inside);
  card.hidden = false;
  place(link, words ? BREADTH.words : BREADTH.formula);
  link.setAttribute('aria-describedby', card.id);
  shown = link;
}

function hide() {
  clearTimeout(timer);
  shown?.removeAttribute('aria-describedby');
  shown = null;
  card.hidden = true;
}

/** Below the link's last line, or above its first where there is no room. */
function place(link, breadth) {
  const lines = link.getClientRects();
  const { clientWidth, clientHeight } = document.documentElement;
  card.style.maxWidth = `${Math.min(breadth, clientWidth - 2 * MARGIN)}px`;
  const last = lines[lines.length - 1];
  const { width, height } = card.getBoundingClientRect();
  const below = last.bottom + height + MARGIN < clientHeight;
  const line = below ? last : lines[0];
  card.style.left = `${Math.max(MARGIN, Math.min(line.left, clientWidth - width - MARGIN))}px`;
  card.style.top = `${below ? line.bottom : line.top - height}px`;
}

const holds = (target) => target instanceof Node && (shown?.contains(target) || card.contains(target));

/** What has gone elsewhere, with a moment to go from the link to its card. */
function left({ relatedTarget }) {
  if (!shown || holds(relatedTarget)) return;
  clearTimeout(timer);
  timer = setTimeout(() => {
    if (!shown?.matches(':hover, :focus') && !card.matches(':hover')) hide();
  }, PATIENCE);
}

document.addEventListener('pointerout', left);
document.addEventListener('focusout', left);
// What the Tab key brings into sight is still to be shown.
document.addEventListener('scroll', () => { if (shown) hide(); }, { passive: true });
document.addEventListener('keydown', ({ key }) => { if (key === 'Escape') hide(); });
