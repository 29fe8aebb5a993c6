// The finished pages are valid HTML.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HtmlValidate } from 'html-validate';
import { PAGES, readBare } from './open_book.mjs';

const htmlvalidate = new HtmlValidate({
  extends: ['html-validate:standard'],
  rules: {
    // A figure's sizes and a formula's baseline are set where they stand.
    'no-inline-style': 'off',
    // Doxygen's ids and ours begin with what they name.
    'valid-id': ['error', { relaxed: true }],
    // A bare > in text is valid; code is full of it.
    'no-raw-characters': 'off',
    // Quotes that HTML does not need are left out.
    'attr-quotes': 'off',
    // House style of the writer of the page, not validity.
    'no-trailing-whitespace': 'off',
    'long-title': 'off',
    'void-style': 'off',
    'doctype-style': 'off',
  },
});

test('every page is valid HTML', async () => {
  for (const name of PAGES) {
    // eslint-disable-next-line no-await-in-loop
    const report = await htmlvalidate.validateString(readBare(name), name);
    const told = report.results.flatMap((result) => result.messages)
      .map(({ ruleId, line, column, message }) => `${name}:${line}:${column} ${ruleId}: ${message}`);
    assert.deepEqual(told.slice(0, 10), [], `${told.length} faults in ${name}`);
  }
});
