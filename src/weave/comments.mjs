// The comment at the head of an exercise or a solution.

/** Its lines without their slashes, from the file's lines. */
export function leadingComment(lines) {
  const end = lines.findIndex((line) => !line.startsWith('//'));
  return lines.slice(0, end < 0 ? lines.length : end).map((line) => line.replace(/^\/\/ ?/, ''));
}
