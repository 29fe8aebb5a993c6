// Makes MathJax's drawings small: one flat list of shapes a formula, words
// shared between formulas, outlines written with relative numbers. MathJax
// counts upwards; here y grows downwards, so that nothing has to be turned over.

// MathJax draws on a grid of 1000 steps an em. A quarter of that is finer than
// a screen or a printer shows, and takes fewer digits.
const GRID = 4;

/** A drawing's elements as a tree: {name, attributes, children}. */
function parse(svg) {
  const root = { name: 'root', attributes: {}, children: [] };
  const open = [root];
  for (const [, end, name, attributes, single] of svg.matchAll(/<(\/?)([a-z]+)((?:\s[\w:-]+="[^"]*")*)\s*(\/?)>/gi)) {
    if (end) {
      open.pop();
      continue;
    }
    const element = { name, attributes: {}, children: [] };
    for (const [, key, value] of attributes.matchAll(/\s([\w:-]+)="([^"]*)"/g)) element.attributes[key] = value;
    open[open.length - 1].children.push(element);
    if (!single) open.push(element);
  }
  return root;
}

/**
 * The inside of a formula's <svg> as a flat list of shapes, with the words it
 * uses. A shape is {name, x, y}, a glyph or word, or {rect: [x, y, width,
 * height]}. A word is a list of shapes, or {of, scale}: a glyph or word in
 * another size. What cannot be laid flat stays as it is, {raw: markup}.
 */
export function flatten(body) {
  const shapes = [];
  const words = {};
  try {
    for (const child of parse(body).children) lay(child, { x: 0, y: 0, scale: 1 }, shapes, words, true);
  } catch {
    return onFullGrid(body);
  }
  return { body: shapes, words };
}

/** Markup of MathJax's own, with its glyphs brought back to MathJax's grid and direction. */
function onFullGrid(body) {
  const words = {};
  const named = body.replace(/href="#([^"]+)"/g, (_, id) => {
    words[`${id}@full`] = { of: id, scale: `${GRID} -${GRID}` };
    return `href="#${id}@full"`;
  });
  return { body: [{ raw: `<g transform="scale(${1 / GRID})">${named}</g>` }], words };
}

function lay(element, outer, shapes, words, isRoot = false) {
  const { name, attributes, children } = element;
  const place = isRoot ? outer : moved(outer, attributes.transform);
  if (name === 'use') {
    shapes.push(use(attributes.href.slice(1), place, words));
  } else if (name === 'rect') {
    const number = (key) => Number(attributes[key] ?? 0) * place.scale;
    const bottom = onGrid(place.y + number('y'));
    const height = onGrid(number('height'));
    shapes.push({ rect: [onGrid(place.x + number('x')), down(bottom + height), onGrid(number('width')), height] });
  } else if (name !== 'g') {
    throw new Error(`<${name}> cannot be laid flat`);
  } else if (children.length > 1 && children.every(isLetter)) {
    const letters = [];
    for (const child of children) lay(child, { x: 0, y: 0, scale: 1 }, letters, words);
    const id = `w${children.map(({ attributes: { href } }) => href.slice(2).replace(/\W/g, '_')).join('')}`;
    words[id] = letters;
    shapes.push(use(id, place, words));
  } else {
    for (const child of children) lay(child, place, shapes, words);
  }
}

const isLetter = ({ name, attributes }) => name === 'use' && !/scale/.test(attributes.transform ?? '');

/** One use of a glyph or word; each size of it is a word of its own. */
function use(id, { x, y, scale }, words) {
  let name = id;
  if (scale !== 1) {
    const size = Number(scale.toFixed(3));
    name = `${id}@${size}`;
    words[name] = { of: id, scale: String(size) };
  }
  return { name, x: onGrid(x), y: down(onGrid(y)) };
}

/** `place` after MathJax's transform: translations and even scales only. */
function moved(place, transform = '') {
  let { x, y, scale } = place;
  for (const [, kind, numbers] of transform.matchAll(/(\w+)\(([^)]*)\)/g)) {
    const [a, b] = numbers.split(/[\s,]+/).map(Number);
    if (kind === 'translate') {
      x += a * scale;
      y += (b ?? 0) * scale;
    } else if (kind === 'scale' && b === undefined) {
      scale *= a;
    } else {
      throw new Error(`${kind} cannot be laid flat`);
    }
  }
  return { x, y, scale };
}

/** A height counted upwards, counted downwards (and no minus zero). */
const down = (y) => (y === 0 ? 0 : -y);

/** A length of MathJax's, in whole steps of the grid. */
export const onGrid = (number) => Math.round(Number(number) / GRID);

/** An outline of M, L, H, V, Q, T and Z commands, y downwards, in as few letters and digits as it takes. */
export function relativePath(path) {
  return written(straightened(segmentsOf(path)));
}

/** An outline's segments on the grid: {to: [x, y]}, with `by`, its control point, if it is a curve. */
function segmentsOf(path) {
  const segments = [];
  let [x, y] = [0, 0];
  let by = null;
  for (const [, command, text] of path.matchAll(/([MLHVQTZ])([^MLHVQTZ]*)/g)) {
    const numbers = (text.match(/-?[\d.]+/g) ?? []).map((number) => onGrid(Number(number)));
    const arity = { M: 2, L: 2, H: 1, V: 1, Q: 4, T: 2, Z: 0 }[command];
    if (command === 'Z') segments.push({ closes: true });
    for (let i = 0; i < numbers.length; i += arity) {
      const n = numbers.slice(i, i + arity);
      const to = command === 'H' ? [n[0], y] : command === 'V' ? [x, down(n[0])] : [n.at(-2), down(n.at(-1))];
      if (command === 'Q') by = [n[0], down(n[1])];
      else if (command === 'T') by = by ? [2 * x - by[0], 2 * y - by[1]] : [x, y];
      else by = null;
      segments.push(by ? { by, to } : { to, moves: command === 'M' });
      [x, y] = to;
    }
  }
  return segments;
}

/** Without what the grid made straight or of no length: the same shape in fewer segments. */
function straightened(segments) {
  const out = [];
  let from = [0, 0];
  let before = null;   // where the straight line that ends at `from` begins
  for (const segment of segments) {
    const { by, to, moves, closes } = segment;
    if (closes || moves) {
      out.push(segment);
      before = null;
      from = to ?? from;
      continue;
    }
    const straight = !by || goesOn(from, by, to);
    if (straight && to[0] === from[0] && to[1] === from[1]) continue;
    if (straight && before && goesOn(before, from, to)) out.pop();
    else before = straight ? from : null;
    out.push(straight ? { to } : segment);
    from = to;
  }
  return out;
}

/** Whether b lies on the straight way from a to c. */
function goesOn(a, b, c) {
  const [x, y] = [b[0] - a[0], b[1] - a[1]];
  const [u, v] = [c[0] - b[0], c[1] - b[1]];
  return x * v === y * u && x * u >= 0 && y * v >= 0;
}

function written(segments) {
  let [x, y] = [0, 0];
  let start = [0, 0];
  let by = null;
  let out = '';
  let last = '';
  const put = (letter, ...steps) => {
    const joined = steps.map((step, k) => (k && step >= 0 ? ` ${step}` : `${step}`)).join('');
    const goesWithout = letter === last && letter !== 'z' && letter !== 'm';
    out += goesWithout ? (steps[0] < 0 ? joined : ` ${joined}`) : letter + joined;
    last = letter;
  };
  for (const { by: control, to, moves, closes } of segments) {
    if (closes) {
      put('z');
      [x, y] = start;
      by = null;
      continue;
    }
    const [right, low] = [to[0] - x, to[1] - y];
    const smooth = control && by && control[0] === 2 * x - by[0] && control[1] === 2 * y - by[1];
    if (moves) put('m', right, low);
    else if (smooth) put('t', right, low);
    else if (control) put('q', control[0] - x, control[1] - y, right, low);
    else if (low === 0) put('h', right);
    else if (right === 0) put('v', low);
    else put('l', right, low);
    if (moves) start = to;
    by = control ?? null;
    [x, y] = to;
  }
  return out;
}
