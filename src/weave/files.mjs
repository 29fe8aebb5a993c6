// Reading and writing, so that an interrupted run leaves nothing half written.

import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

/** SHA-256 of text or bytes, in hex. */
export function hash(...pieces) {
  const sum = crypto.createHash('sha256');
  for (const piece of pieces) sum.update(piece).update('\0');
  return sum.digest('hex');
}

/** The text of a file, with any line ending read as a newline. */
export function readText(file) {
  return fs.readFileSync(file, 'utf8').replace(/\r\n?/g, '\n');
}

/** Writes a file by way of a temporary one beside it; makes its folder. */
export function writeFile(file, content) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const temporary = `${file}.${process.pid}.tmp`;
  fs.writeFileSync(temporary, content);
  fs.renameSync(temporary, file);
}

/** Writes only when the content differs, so that unchanged files keep their time. */
export function writeIfChanged(file, content) {
  if (fs.existsSync(file) && fs.readFileSync(file, 'utf8') === content) return false;
  writeFile(file, content);
  return true;
}

/** A JSON file's value, or `otherwise` when it is missing or cut short. */
export function readJson(file, otherwise) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch {
    return otherwise;
  }
}

/** Every file under `folder`, sorted, without the folders in `except`. */
export function filesUnder(folder, except = []) {
  if (!fs.existsSync(folder)) return [];
  const found = [];
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!except.includes(entry.name)) found.push(...filesUnder(full, except));
    } else {
      found.push(full);
    }
  }
  return found.sort();
}
