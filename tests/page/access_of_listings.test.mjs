// Accessibility of the pages of code and reference, which have no depths.

import { after, before, test } from 'node:test';
import { assertCodeAccessible } from './axe_findings.mjs';
import { PAGES, PAGES_WITH_DEPTHS, startBrowser } from './open_book.mjs';

let browser;
before(async () => { browser = await startBrowser(); });
after(() => browser?.close());

test('axe finds nothing, by day and by night', async (context) => {
  const reading = await browser.newContext({ colorScheme: 'light', viewport: { width: 1280, height: 900 } });
  const tab = await reading.newPage();
  for (const name of PAGES.filter((page) => !PAGES_WITH_DEPTHS.includes(page))) {
    await context.test(name, () => assertCodeAccessible(tab, name));
  }
  await reading.close();
});
