// The marks of a figure that have a name (a cell of a map, a dot, a bar) say it
// below the figure: where one points, and by the arrow keys.

import { element } from './element.mjs';

const MARK = 'svg :not(svg) > title';
const BEGIN = 'Point at a mark, or go with the arrow keys, to read it.';
const TURNS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** Begins to say the values of the figure in this box. */
export function showValues(plate) {
  if (plate.dataset.values || !plate.querySelector(MARK)) return;
  plate.dataset.values = 'shown';
  const line = element('p', { className: 'figure-value', role: 'status', textContent: BEGIN });
  plate.after(line);
  plate.setAttribute('role', 'group');
  plate.setAttribute('aria-label', 'Figure with values; the arrow keys read them');

  let chosen = null;
  const choose = (mark) => {
    if (mark === chosen) return;
    chosen?.classList.remove('chosen');
    chosen = mark;
    chosen?.classList.add('chosen');
    line.textContent = chosen ? chosen.querySelector('title').textContent : BEGIN;
  };
  const markAt = (target) => target?.closest('svg *:has(> title)');
  choose(markAt([...plate.querySelectorAll(':hover')].pop()) ?? null);
  plate.addEventListener('pointermove', ({ target }) => {
    const mark = markAt(target);
    if (mark) choose(mark);
  });
  plate.addEventListener('click', ({ target }) => choose(markAt(target) ?? null));
  plate.addEventListener('keydown', (event) => {
    const turn = TURNS[event.key];
    if (event.key === 'Escape') choose(null);
    if (!turn || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const marks = [...plate.querySelectorAll(MARK)].map((title) => title.parentElement);
    // A figure may have been drawn anew since.
    const next = marks.includes(chosen) ? nearest(chosen, marks, turn) : marks[0];
    if (!next) return;
    choose(next);
    next.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  });
}

/** The mark that lies next in that direction: what is straight ahead before what is aside. */
function nearest(from, marks, [dx, dy]) {
  const centre = (mark) => {
    const box = mark.getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };
  const [x, y] = centre(from);
  let best = null;
  let least = Infinity;
  for (const mark of marks) {
    const [mx, my] = centre(mark);
    const ahead = (mx - x) * dx + (my - y) * dy;
    const aside = Math.abs((mx - x) * dy) + Math.abs((my - y) * dx);
    const far = ahead + 4 * aside;
    if (ahead > 0.5 && far < least) {
      least = far;
      best = mark;
    }
  }
  return best;
}
