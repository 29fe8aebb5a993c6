// The words of a text as search knows them: small letters, without accents; a
// name of code as a whole and in its parts.

const WORD = /[\p{L}\p{N}_]+(?:['’]\p{L}+)?/gu;
const BOUNDARY = /_+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;

const plain = (word) => word.normalize('NFKD').replace(/[\u0300-\u036f'’_]/g, '').toLowerCase();

/** The words as they stand in a text, and where: {word, at}. */
export function wordsIn(text) {
  return [...text.matchAll(WORD)].map((match) => ({ word: match[0], at: match.index }));
}

/** The words of a text, each name also in its parts: `max_difference` is maxdifference, max and difference. */
export function wordsOf(text) {
  return wordsIn(text).flatMap(({ word }) => {
    const parts = word.split(BOUNDARY).filter(Boolean);
    return parts.length > 1 ? [plain(word), ...parts.map(plain)] : [plain(word)];
  }).filter(Boolean);
}

/** The words somebody typed. A name stays whole: who types `max_difference` means that. */
export function askedWords(text) {
  return wordsIn(text).map(({ word }) => plain(word)).filter(Boolean);
}
