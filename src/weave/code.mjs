// Doxygen's coloured code as a <pre> whose lines carry their numbers.

import { escape } from './html.mjs';

// Short elements: a page holds hundreds of them.
const ELEMENTS = {
  keyword: 'b', keywordtype: 'b', keywordflow: 'b', comment: 'i',
  preprocessor: 'span', stringliteral: 'q', charliteral: 'q',
};

/** The lines of one of Doxygen's fragments, as HTML. */
export function fragmentLines(fragment) {
  return [...fragment.matchAll(/<div class="line">([\s\S]*?)<\/div>\n?/g)].map(([, line]) => cleanLine(line));
}

function cleanLine(line) {
  return line
    .replace(/<a id="l\d+"[^>]*><\/a>/, '')
    .replace(/<span class="lineno">.*?<\/span>(?:&#160;)?/, '')
    .replace(/<span class="(\w+)"><\/span>/g, '')
    .replace(/<span class="(\w+)">(.*?)<\/span>/g, (_, name, text) =>
      (ELEMENTS[name] ? `<${ELEMENTS[name]}>${text}</${ELEMENTS[name]}>` : text))
    .replace(/<\/(b|i|q)>( *)<\1>/g, '$2')
    .replace(/<a class="[^"]*" href="([^"]*)"(?: title="[^"]*")?>/g, '<a href="$1">')
    .replace(/&#160;/g, ' ').replace(/&quot;/g, '"').replace(/&gt;/g, '>')
    .trimEnd();
}

/** Lines of code with their numbers beside them, from `first` on. */
function numberedCode(lines, first) {
  const numbers = lines.map((_, i) => first + i).join('\n');
  return `<pre class="code"><span class="n" aria-hidden="true">${numbers}</span><code>${lines.join('\n')}\n</code></pre>`;
}

/** A whole file: every line has an id, and the note that `noteOn(number)` gives. */
export function fullCode(lines, idOf, noteOn) {
  const rows = lines.map((line, i) => `<span class="l" id="${idOf(i + 1)}">${line}${noteOn(i + 1)}\n</span>`);
  return `<pre class="code full"><code>${rows.join('')}</code></pre>`;
}

/** Code without numbers: a piece of another language, or a command. */
export function plainCode(lines) {
  return `<pre class="code plain"><code>${lines.map((line) => `${line}\n`).join('')}</code></pre>`;
}

/** A part shown in a page: caption above, linked to its listing if it has one, numbered lines below. */
export function partFigure(lines, { part, id, label }, listing) {
  const range = part.first === part.last ? `line ${part.first}` : `lines ${part.first}–${part.last}`;
  const place = `${escape(part.source.name)}, ${range}`;
  const name = label ? `<span class="part">${escape(label)}</span> ` : '';
  return `<figure class="listing"${id ? ` id="${id}"` : ''}><figcaption>${name}`
    + `${listing ? `<a href="${listing}">${place}</a>` : place}</figcaption>${numberedCode(linkedOnce(lines), part.first).replace(/<\/i>\n<i>/g, '\n')}</figure>`;
}

/** Links each name where it first stands: calmer to read, and shorter. */
function linkedOnce(lines) {
  const linked = new Set();
  return lines.map((line) => line.replace(/<a href="([^"]*)">(.*?)<\/a>/g, (whole, href, name) => {
    if (linked.has(href)) return name;
    linked.add(href);
    return whole;
  }));
}
