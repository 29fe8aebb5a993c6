// Compares what a program prints with its recorded output.
//   node compare_output.mjs EXPECTED PROGRAM [OPTIONS]
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const NUMBER = /-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|-?nan|-?inf/gi;

// One unit in the last printed place: compilers may round a last digit either
// way. Below 1e-5 a number in scientific notation is rounding noise itself; it
// may shrink to nothing or double, but not grow past that.
export function sameNumber(expected, actual) {
  if (expected === actual) return true;
  if (!/^-?\d/.test(expected) || !/^-?\d/.test(actual)) return false;
  const [a, b] = [Number(expected), Number(actual)];
  if (/e-/i.test(expected) && Math.abs(a) < 1e-5) {
    return Math.abs(b) <= 2 * Math.abs(a);
  }
  if (a === 0 && /e/i.test(expected)) return b === 0; // it has no last place
  const [mantissa, exponent = '0'] = expected.toLowerCase().split('e');
  const places = (mantissa.split('.')[1] ?? '').length;
  if (places === 0) return false; // a whole number is exact
  const unit = 10 ** (Number(exponent) - places);
  return Math.abs(a - b) <= unit * 1.000001;
}

export function firstDifference(expectedText, actualText) {
  const expected = expectedText.split('\n');
  const actual = actualText.split('\n');
  for (let i = 0; i < Math.max(expected.length, actual.length); i++) {
    const [e, a] = [expected[i], actual[i]];
    const fits = e !== undefined && a !== undefined && sameLine(e, a);
    if (!fits) return { line: i + 1, expected: e, actual: a };
  }
  return null;
}

function sameLine(expected, actual) {
  // Words and spaces must be equal; numbers may differ by their tolerance.
  if (expected.replace(NUMBER, '#') !== actual.replace(NUMBER, '#')) return false;
  const a = expected.match(NUMBER) ?? [];
  const b = actual.match(NUMBER) ?? [];
  return a.every((number, i) => sameNumber(number, b[i]));
}

function main([expectedFile, program, ...options]) {
  const run = spawnSync(program, options, { encoding: 'utf8' });
  if (run.status !== 0) {
    console.error(`${program}: exit status ${run.status}: ${run.stderr}`);
    return 1;
  }
  const difference = firstDifference(readFileSync(expectedFile, 'utf8'), run.stdout);
  if (difference === null) return 0;
  const { line, expected, actual } = difference;
  console.error(`${expectedFile}:${line}: expected "${expected ?? 'the end'}", ` +
    `but the program printed "${actual ?? 'nothing more'}". If the change is ` +
    `meant, record it: ${program} > ${expectedFile}`);
  return 1;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  process.exitCode = main(process.argv.slice(2));
}
