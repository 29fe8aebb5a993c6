// What a chapter's program prints, taken apart: for the weave, and for the page
// in which the program runs.

import { unescape } from './html.mjs';

/** Splits what a program printed at its underlined headings: heading -> lines. */
export function outputParts(text) {
  const lines = text.replace(/\n$/, '').split('\n');
  const parts = new Map();
  let current = null;
  for (let i = 0; i < lines.length; i += 1) {
    const heading = lines[i];
    const rule = lines[i + 1] ?? '';
    if (heading.trim() && /^-+$/.test(rule) && [...rule].length === [...heading].length) {
      current = [];
      parts.set(heading.trim(), current);
      i += 1;
    } else if (current) {
      current.push(heading.trimEnd());
    }
  }
  for (const body of parts.values()) trimBlank(body);
  return parts;
}

/** Drops blank lines at both ends, in place. */
export function trimBlank(lines) {
  while (lines.length && lines[0].trim() === '') lines.shift();
  while (lines.length && lines[lines.length - 1].trim() === '') lines.pop();
  return lines;
}

/** The test cases of a doctest XML report. */
export function readClaims(xml) {
  const claims = new Map();
  for (const [, attributes, body] of xml.matchAll(/<TestCase\s([^>]*[^/])>([\s\S]*?)<\/TestCase>/g)) {
    const result = body.match(/<OverallResultsAsserts\s([^>]*)\/>/)?.[1] ?? '';
    const name = attribute(attributes, 'name');
    const held = Number(attribute(result, 'successes') ?? 0);
    const failures = Number(attribute(result, 'failures') ?? 0);
    const failed = failures > 0 || /<Exception\b/.test(body)
      || attribute(result, 'test_case_success') === 'false';
    const fileName = (attribute(attributes, 'filename') ?? '').split('/').pop();
    claims.set(name, { held, failed, fileName, line: Number(attribute(attributes, 'line')) });
  }
  return claims;
}

function attribute(attributes, name) {
  const found = attributes.match(new RegExp(`\\b${name}="([^"]*)"`));
  return found ? unescape(found[1]) : undefined;
}

/** The runs of a claim that the prose names: its own, or those of its types. */
export function runsOfClaim(claims, name) {
  return [...claims].filter(([run]) => run === name || run.startsWith(`${name}<`)).map(([, result]) => result);
}

/** "1 check", "1,204 checks". */
export function count(number, noun) {
  return `${number.toLocaleString('en-GB')} ${noun}${number === 1 ? '' : 's'}`;
}
