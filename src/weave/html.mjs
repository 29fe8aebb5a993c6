// Small pieces of HTML.

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text as it must be written in HTML. */
export function escape(text) {
  return String(text).replace(/[&<>"]/g, (letter) => ENTITIES[letter]);
}

/** The text an HTML fragment shows. */
export function textOf(html) {
  return unescape(html.replace(/<[^>]*>/g, '')).replace(/\s+/g, ' ').trim();
}

/** The reverse of escape, for the entities Doxygen and doctest write. */
export function unescape(html) {
  return html
    .replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&quot;/g, '"')
    .replace(/&apos;|&#39;/g, "'").replace(/&nbsp;|&#160;/g, ' ')
    .replace(/&ndash;/g, '–').replace(/&mdash;/g, '—').replace(/&zwj;/g, '')
    .replace(/&#x([0-9a-f]+);/gi, (_, code) => String.fromCodePoint(parseInt(code, 16)))
    .replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
    .replace(/&amp;/g, '&');
}

/** A readable id: lower case, words joined by `-`. */
export function slug(text) {
  return text.toLowerCase().normalize('NFKD').replace(/[\u0300-\u036f]/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-+|-+$/g, '') || 'section';
}

/** The next free id in `taken` (a Set), which it joins. */
export function uniqueId(wanted, taken) {
  let id = wanted;
  for (let n = 2; taken.has(id); n += 1) id = `${wanted}-${n}`;
  taken.add(id);
  return id;
}

/** The curly form of a typewriter quote between two characters. */
export function curly(mark, before = ' ', after = ' ') {
  const opens = /[\s([{*_—–“‘]/.test(before) && !/\s/.test(after);
  if (mark === '"') return opens ? '“' : '”';
  return opens ? '‘' : '’';
}

/** Text with curly quotes. */
export function withCurlyQuotes(text) {
  return text.replace(/["']/g, (mark, at) => curly(mark, text[at - 1], text[at + 1]));
}
