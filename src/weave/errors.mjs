// What stops the book: problems are gathered, so that one run shows them all,
// and printed one a line as `file:line: what is wrong; what to do`.

/** Thrown when the book cannot be made; `lines` holds one message a problem. */
export class BookError extends Error {
  constructor(lines) {
    super(lines.join('\n'));
    this.lines = lines;
  }
}

/** The problems found so far. */
export class Problems {
  #found = new Map();

  /** Notes a problem at `where` ({file, line}); the text says what and what to do. */
  add(where, text) {
    const place = where.line ? `${where.file}:${where.line}` : where.file;
    const line = `${place}: ${text.replace(/\s+/g, ' ').trim()}`;
    this.#found.set(line, { file: where.file, line: where.line ?? 0, text: line });
  }

  /** How many there are. */
  get count() {
    return this.#found.size;
  }

  /** Throws a BookError if anything was noted. */
  stop() {
    if (this.#found.size === 0) return;
    const sorted = [...this.#found.values()].sort((a, b) =>
      a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1);
    throw new BookError(sorted.map((problem) => problem.text));
  }
}

/** Runs `work`; if it throws a plain error, notes that at `where` instead. */
export async function noting(problems, where, work) {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BookError) throw error;
    problems.add(where, error.message);
    return undefined;
  }
}

/** A short list for a message: `a, b, c`. */
export function list(names) {
  return names.length ? names.join(', ') : 'none';
}

/** Up to five of `names`, the ones most like `wanted` first. */
export function nearest(wanted, names) {
  const letters = (name) => new Set(name.toLowerCase());
  const target = letters(wanted);
  const likeness = (name) => {
    const own = letters(name);
    const both = [...own].filter((letter) => target.has(letter)).length;
    const prefix = [...name].findIndex((letter, i) => letter !== wanted[i]);
    return both / (own.size + target.size) + (prefix < 0 ? name.length : prefix) / 10;
  };
  return [...names].sort((a, b) => likeness(b) - likeness(a)).slice(0, 5);
}
