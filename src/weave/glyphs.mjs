// Makes MathJax's drawings small: one flat list of shapes a formula, words
// shared between formulas, outlines written with relative numbers.

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
 * The inside of a formula's <svg> as a flat list of <use> and <rect>, with the
 * words it uses. What cannot be laid flat stays as it is, on MathJax's grid.
 */
export function flatten(body) {
  const shapes = [];
  const words = {};
  try {
    for (const child of parse(body).children) lay(child, { x: 0, y: 0, scale: 1 }, shapes, words, true);
  } catch {
    return onFullGrid(body);
  }
  return { body: `<g transform="scale(1 -1)">${shapes.join('')}</g>`, words };
}

function onFullGrid(body) {
  const words = {};
  const named = body.replace(/href="#([^"]+)"/g, (_, id) => {
    words[`${id}@full`] = `<use href="#${id}" transform="scale(${GRID})"/>`;
    return `href="#${id}@full"`;
  });
  return { body: `<g transform="scale(${1 / GRID})">${named}</g>`, words };
}

function lay(element, outer, shapes, words, isRoot = false) {
  const { name, attributes, children } = element;
  const place = isRoot ? outer : moved(outer, attributes.transform);
  if (name === 'use') {
    shapes.push(use(attributes.href.slice(1), place, words));
  } else if (name === 'rect') {
    const number = (key) => Number(attributes[key] ?? 0) * place.scale;
    shapes.push(`<rect x="${onGrid(place.x + number('x'))}" y="${onGrid(place.y + number('y'))}" `
      + `width="${onGrid(number('width'))}" height="${onGrid(number('height'))}"/>`);
  } else if (name !== 'g') {
    throw new Error(`<${name}> cannot be laid flat`);
  } else if (children.length > 1 && children.every(isLetter)) {
    const letters = [];
    for (const child of children) lay(child, { x: 0, y: 0, scale: 1 }, letters, words);
    const word = letters.join('');
    const id = `w${children.map(({ attributes: { href } }) => href.slice(2).replace(/\W/g, '_')).join('')}`;
    words[id] = word;
    shapes.push(use(id, place, words));
  } else {
    for (const child of children) lay(child, place, shapes, words);
  }
}

const isLetter = ({ name, attributes }) => name === 'use' && !/scale/.test(attributes.transform ?? '');

/** One use of a glyph or word; each size of it is a shape of its own. */
function use(id, { x, y, scale }, words) {
  let name = id;
  if (scale !== 1) {
    const size = Number(scale.toFixed(3));
    name = `${id}@${size}`;
    words[name] = `<use href="#${id}" transform="scale(${size})"/>`;
  }
  return `<use href="#${name}"${onGrid(x) ? ` x="${onGrid(x)}"` : ''}${onGrid(y) ? ` y="${onGrid(y)}"` : ''}/>`;
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

/** A length of MathJax's, in whole steps of the grid. */
export const onGrid = (number) => Math.round(Number(number) / GRID);

/** An outline of M, L, H, V, Q, T and Z commands with relative numbers. */
export function relativePath(path) {
  let x = 0, y = 0, startX = 0, startY = 0, out = '', last = '';
  for (const [, command, text] of path.matchAll(/([MLHVQTZ])([^MLHVQTZ]*)/g)) {
    const numbers = (text.match(/-?[\d.]+/g) ?? []).map((number) => onGrid(Number(number)));
    const arity = { M: 2, L: 2, H: 1, V: 1, Q: 4, T: 2, Z: 0 }[command];
    for (let i = 0; i < Math.max(numbers.length, 1); i += arity || 1) {
      const n = numbers.slice(i, i + arity);
      const steps = command === 'H' ? [n[0] - x] : command === 'V' ? [n[0] - y]
        : n.map((value, k) => value - (k % 2 ? y : x));
      if (command === 'Z') [x, y] = [startX, startY];
      else if (command === 'H') [x] = n;
      else if (command === 'V') [y] = n;
      else [x, y] = n.slice(-2);
      if (command === 'M') [startX, startY] = [x, y];
      const letter = command.toLowerCase();
      const joined = steps.map((step, k) => (k && step >= 0 ? ` ${step}` : `${step}`)).join('');
      out += letter === last && letter !== 'z' && letter !== 'm'
        ? (steps[0] < 0 ? joined : ` ${joined}`) : letter + joined;
      last = letter;
    }
  }
  return out;
}
