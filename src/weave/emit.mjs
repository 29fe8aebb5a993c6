// How expanding writes to a page: lines for Doxygen, and tokens between them.

import { expandInline } from './inline.mjs';
import { dedented } from './sources.mjs';

/** Adds lines to the page for Doxygen; all come from the same place. */
export function emit(page, text, where) {
  const lines = text.split('\n');
  lines.pop();
  lines.forEach((line, i) => {
    page.out.push(line);
    page.origins.push({ file: where.file, line: where.line + Math.min(i, lines.length - 1) });
  });
}

/** Adds a token alone in its paragraph. */
export function emitBlock(page, token, { where, indent = '' }) {
  emit(page, `\n${indent}${token}\n\n`, { file: where.file, line: where.line });
}

/** Adds a paragraph of prose between two tokens. */
export function emitWrapped(page, open, text, close, block, book) {
  const inner = expandInline(text, block.where, page, book).replace(/\n/g, ' ');
  emit(page, `\n${block.indent ?? ''}${page.token('open', open)} ${inner} ${page.token('close', close)}\n\n`, block.where);
}

/** Code goes through Doxygen, which colours it and links its names. */
export function emitCode(page, part, data, block) {
  emitBlock(page, page.token('code', '', { part, ...data }), block);
  emit(page, `\\code{.cpp}\n${dedented(part).join('\n')}\n\\endcode\n\n`, block.where);
}
