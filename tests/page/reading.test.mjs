// How the finished pages behave for a reader: depth, colours, widths, print,
// no script, no network.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { hasClass, treeOf } from '../../src/weave/html_tree.mjs';
import { BOOK, openPage, PAGES, PAGES_WITH_DEPTHS, readersOf, readPage, startBrowser, urlOf } from './open_book.mjs';

const LARGEST_PAGE = 250_000;        // bytes, all that one page loads
const LARGEST_SHIFT = 0.03;          // cumulative layout shift while fonts arrive; up to 0.1 counts as good
const WIDTHS = [320, 390, 768, 1024];
const DEPTHS = ['beginner', 'developer', 'researcher'];

let browser;
before(async () => { browser = await startBrowser(); });
after(() => browser?.close());

const reader = readersOf(() => browser);

/** The page with the most depths; the tests of the switch read it. */
function pageWithAllDepths() {
  const [longest] = PAGES_WITH_DEPTHS
    .filter((page) => DEPTHS.every((depth) => readPage(page).includes(`class="depth ${depth}"`)))
    .sort((a, b) => readPage(b).length - readPage(a).length);
  assert.ok(longest, 'some page has all three depths');
  return longest;
}

/** Which depths are on the screen. */
const shownDepths = (page) => page.evaluate(() => [...new Set(
  [...document.querySelectorAll('.depth')].filter((block) => block.getClientRects().length > 0)
    .map((block) => block.dataset.depth))].sort());

test('all depths show until one is chosen', () => reader({}, async (context) => {
  const { page } = await openPage(context, pageWithAllDepths());
  assert.deepEqual(await shownDepths(page), DEPTHS);
}));

test('the switch shows one depth, and the next page remembers it', () => reader({}, async (context) => {
  const name = pageWithAllDepths();
  const { page } = await openPage(context, name);
  for (const depth of DEPTHS) {
    await page.click(`.depths button[data-depth="${depth}"]`);
    assert.deepEqual(await shownDepths(page), [depth]);
    const pressed = await page.$$eval('.depths [aria-pressed="true"]', (found) => found.map((button) => button.dataset.depth));
    assert.deepEqual(pressed, [depth], 'the button says that it is chosen');
  }
  const other = await openPage(context, PAGES_WITH_DEPTHS.find((page) => page !== name) ?? name);
  assert.deepEqual(await shownDepths(other.page), ['researcher']);
  await other.page.click('.depths button[data-depth="all"]');
  assert.ok((await shownDepths(other.page)).length > 1 || PAGES_WITH_DEPTHS.length === 1);
}));

test('switching depth keeps the reader near the same text', () => reader({ viewport: { width: 1000, height: 700 } }, async (context) => {
  const chapter = PAGES_WITH_DEPTHS.find((name) => readPage(name).includes('<h2 id="remember-this">'));
  const { page } = await openPage(context, chapter);
  const heading = page.locator('article > h2').last();   // every depth has it
  await heading.evaluate((element) => window.scrollTo(0, element.getBoundingClientRect().top + window.scrollY - 200));
  const before = (await heading.boundingBox()).y;
  await page.click('.depths button[data-depth="beginner"]');
  const afterwards = (await heading.boundingBox()).y;
  assert.ok(Math.abs(afterwards - before) < 700, `the last heading moved from ${before} to ${afterwards}`);
}));

test('?depth= chooses a depth', () => reader({}, async (context) => {
  const { page } = await openPage(context, pageWithAllDepths(), '?depth=developer');
  assert.deepEqual(await shownDepths(page), ['developer']);
}));

test('the choice of a depth is said, and stands in the address, which then shows the same', () => reader({}, async (context) => {
  const { page } = await openPage(context, pageWithAllDepths(), '?depth=researcher#exercises');
  const said = () => page.locator('body > [role=status]').textContent();
  assert.equal(await said(), '', 'nothing is said until somebody chooses');
  for (const depth of ['developer', 'beginner']) {
    await page.getByRole('button', { name: depth, exact: false }).first().click();
    assert.equal(await said(), `Depth: ${depth}`);
    const { search, hash } = new URL(page.url());
    assert.deepEqual([search, hash], [`?depth=${depth}`, '#exercises']);
  }
  await page.reload();
  assert.deepEqual(await shownDepths(page), ['beginner'], 'not the depth of the first address');
  const copied = page.url();
  await reader({}, async (other) => {
    const opened = await other.newPage();
    await opened.goto(copied);
    assert.deepEqual(await shownDepths(opened), ['beginner'], 'for somebody who got the link too');
  });
  await page.getByRole('button', { name: 'All', exact: true }).click();
  assert.equal(await said(), 'Depth: all');
  assert.equal(new URL(page.url()).search, '');
}));

test('a block that a link makes show is said to show', () => reader({}, async (context) => {
  const name = pageWithAllDepths();
  const id = readPage(name).match(/<div class="depth developer" data-depth="developer" id="([^"]+)"/)[1];
  const { page } = await openPage(context, name, '?depth=beginner');
  await page.evaluate((target) => { location.hash = target; }, id);
  await page.waitForFunction(() => document.querySelector('body > [role=status]').textContent === 'Depth: developer, where the link leads');
  assert.ok(await page.locator(`#${id}`).isVisible());
}));

test('every block of a depth can be linked to', () => {
  for (const name of PAGES_WITH_DEPTHS) {
    const blocks = [...readPage(name).matchAll(/<div class="depth [^>]*>/g)].map(([tag]) => tag);
    assert.deepEqual(blocks.filter((tag) => !/ id="(?:[^"]+-)?(?:beginner|developer|researcher)(?:-\d+)?"/.test(tag)), [], name);
  }
});

test('the contents list shows the sections that the depth has, and no other', () => reader({}, async (context) => {
  const name = PAGES_WITH_DEPTHS.find((page) => /<li data-depth="developer"><a/.test(readPage(page)));
  assert.ok(name, 'some section is for one depth alone');
  const { page } = await openPage(context, name);
  for (const depth of ['all', ...DEPTHS]) {
    await page.click(`.depths button[data-depth="${depth}"]`);
    const [listed, there] = await page.evaluate(() => {
      const shows = (element) => element.getClientRects().length > 0;
      return [
        [...document.querySelectorAll('.contents a[aria-current] ~ details li a')].filter(shows).map((link) => link.hash.slice(1)),
        [...document.querySelectorAll('article h2[id]')].filter(shows).map((heading) => heading.id),
      ];
    });
    assert.deepEqual(listed, there, depth);
  }
}));

test('no depth links to what only another one shows', () => {
  const depthOf = new Map();
  const links = [];
  const look = (node, name, depth) => {
    for (const child of node.children ?? []) {
      if (typeof child === 'string') continue;
      const here = hasClass(child, 'depth') ? child.attributes['data-depth'] : depth;
      if (child.attributes.id) depthOf.set(`${name}#${child.attributes.id}`, here);
      if (child.tag === 'a' && here && /#./.test(child.attributes.href ?? '')) links.push([name, here, child.attributes.href]);
      look(child, name, here);
    }
  };
  for (const name of PAGES_WITH_DEPTHS) look(treeOf(readPage(name).replace(/<svg\b[\s\S]*?<\/svg>/g, '')), name, '');
  assert.ok(links.length > 100);
  const lost = links.filter(([name, depth, href]) => {
    const target = depthOf.get(href.startsWith('#') ? `${name}${href}` : href);
    return target && target !== depth;
  });
  assert.deepEqual(lost, []);
});

test('a box that scrolls sideways is reached with the Tab key, and one that does not is passed over', () => reader({ viewport: { width: 360, height: 700 } }, async (context) => {
  const { page } = await openPage(context, pageWithAllDepths());
  const wrong = () => page.$$eval('pre, .formula, .table, .plate', (boxes) => boxes.filter((box) =>
    !box.closest('details:not([open])') && (box.scrollWidth > box.clientWidth) !== (box.tabIndex === 0)).map((box) => box.textContent.slice(0, 40)));
  assert.deepEqual(await wrong(), []);
  await page.evaluate(() => document.querySelectorAll('details').forEach((fold) => { fold.open = true; }));
  await page.evaluate(() => new Promise((painted) => { requestAnimationFrame(() => requestAnimationFrame(painted)); }));
  assert.deepEqual(await wrong(), [], 'with everything unfolded');
  assert.ok(await page.locator('pre[tabindex="0"]').count() > 3, 'on a phone some do');
}));

test('a line of text has 60 to 75 letters where there is room', () => reader({ viewport: { width: 1280, height: 900 } }, async (context) => {
  const perLine = [];
  for (const name of PAGES_WITH_DEPTHS.filter((page) => readPage(page).includes('<h2 id="remember-this">'))) {
    const { page } = await openPage(context, name);
    perLine.push(...await page.$$eval('article p', (paragraphs) => paragraphs
      .filter((paragraph) => paragraph.textContent.length > 350 && !paragraph.querySelector('svg, code, math'))
      .map((paragraph) => {
        const lines = paragraph.getBoundingClientRect().height / parseFloat(getComputedStyle(paragraph).lineHeight);
        return paragraph.textContent.length / (lines - 0.5);   // the last line ends anywhere
      })));
    await page.close();
  }
  assert.ok(perLine.length > 20, `${perLine.length} long paragraphs`);
  const mean = perLine.reduce((sum, letters) => sum + letters, 0) / perLine.length;
  assert.ok(mean >= 60 && mean <= 75, `${mean} on average`);
}));

test('a link into a hidden block shows that block', () => reader({}, async (context) => {
  const name = pageWithAllDepths();
  const target = readPage(name).match(/class="depth developer"[\s\S]*?<figure class="listing" id="([^"]+)"/)?.[1];
  assert.ok(target, 'a developer block holds a part with an id');
  const { page } = await openPage(context, name, '?depth=beginner');
  assert.equal(await page.locator(`#${target}`).isVisible(), false);
  await page.goto(urlOf(name, `?depth=beginner#${target}`));
  assert.equal(await page.locator(`#${target}`).isVisible(), true, 'when the page opens');
  const second = await openPage(context, name, '?depth=beginner');
  await second.page.evaluate((id) => { location.hash = id; }, target);
  await second.page.waitForFunction((id) => document.getElementById(id).getClientRects().length > 0, target);
}));

test('who asks for less motion sees none', () => reader({ reducedMotion: 'reduce' }, async (context) => {
  const moves = (page) => page.evaluate(() => [getComputedStyle(document.documentElement).scrollBehavior !== 'auto',
    ...[...document.querySelectorAll('body *')].map((element) => getComputedStyle(element))
      .map(({ transitionDuration, animationName }) => animationName !== 'none' || /[1-9]/.test(transitionDuration))].filter(Boolean).length);
  const { page } = await openPage(context, pageWithAllDepths());
  assert.equal(await moves(page), 0);
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  assert.ok(await moves(page) > 0, 'there is motion for the others');
}));

test('every formula can be read out', () => {
  for (const name of PAGES) {
    const page = readPage(name);
    const drawn = page.match(/<svg aria-hidden="true" style="vertical-align[^>]*>/g) ?? [];
    const spoken = page.match(/<math[\s>][\s\S]*?<\/math>/g) ?? [];
    assert.equal(spoken.length, drawn.length, name);
    for (const math of spoken) assert.match(math, />[^<\s]/, name);
  }
});

test('without script every depth shows and the switches are gone', () => reader({ javaScriptEnabled: false }, async (context) => {
  const page = await context.newPage();
  await page.goto(urlOf(pageWithAllDepths()));
  for (const depth of DEPTHS) assert.ok(await page.locator(`.depth.${depth}`).first().isVisible(), depth);
  assert.equal(await page.locator('.depths').isVisible(), false);
  assert.equal(await page.locator('button.light').isVisible(), false);
  assert.equal(await page.locator('nav.contents a').first().isVisible(), true);
}));

test('print shows every depth with its label, on white, whatever is chosen', () => reader({ colorScheme: 'dark' }, async (context) => {
  const { page } = await openPage(context, pageWithAllDepths(), '?depth=beginner');
  await page.click('button.light');
  await page.click('button.light');
  await page.emulateMedia({ media: 'print' });
  assert.deepEqual(await shownDepths(page), DEPTHS);
  assert.ok(await page.locator('.depth.researcher .depth-label').first().isVisible());
  assert.equal(await page.locator('nav.contents').isVisible(), false);
  assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor), 'rgb(255, 255, 255)');
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
  assert.equal(await page.locator('article details:not([open], .hint)').count(), 0, 'nothing stays folded');
  await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
  assert.ok(await page.locator('article details:not([open], .hint)').count() > 0, 'afterwards it is folded again');
}));

test('colours follow the system, and the switch is remembered', () => reader({ colorScheme: 'dark' }, async (context) => {
  const paper = (page) => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const light = await reader({ colorScheme: 'light' }, async (other) => paper((await openPage(other, 'index.html')).page));
  const { page } = await openPage(context, 'index.html');
  const night = await paper(page);
  assert.notEqual(night, light);
  assert.equal(await page.getAttribute('button.light', 'aria-pressed'), 'true');
  await page.click('button.light');
  assert.equal(await paper(page), light);
  assert.equal(await paper((await openPage(context, PAGES[0])).page), light, 'on the next page too');
}));

test('the keyboard reaches the text first, then the switches', () => reader({}, async (context) => {
  const { page } = await openPage(context, pageWithAllDepths());
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.className), 'skip');
  assert.ok(await page.locator('.skip').evaluate((link) => link.getBoundingClientRect().left >= 0), 'the skip link shows');
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'text');
}));

test('every page: nothing from outside, no complaint, light enough, still, never wider than the screen', async (context) => {
  const reading = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  await reading.addInitScript(() => {
    window.shift = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
    }).observe({ type: 'layout-shift', buffered: true });
  });
  for (const name of PAGES) {
    await context.test(name, async () => {
      const opened = await openPage(reading, name);
      checkLoading(opened);
      const shift = await opened.page.evaluate(() => window.shift);
      assert.ok(shift <= LARGEST_SHIFT, `it shifts by ${shift}`);
      await checkWidths(opened.page);
      await opened.page.close();
    });
  }
  await reading.close();
});

/** What a page loads: only from the book, without a complaint, and not too much. */
function checkLoading({ requests, complaints }) {
  assert.deepEqual(complaints, []);
  assert.deepEqual(requests.filter((url) => !url.startsWith(urlOf(''))), [], 'it asks for something outside the book');
  const files = new Set(requests.map((url) => decodeURIComponent(new URL(url).pathname)));
  const bytes = [...files].reduce((sum, file) => sum + fs.statSync(file).size, 0);
  assert.ok(bytes <= LARGEST_PAGE, `it loads ${bytes} bytes, at most ${LARGEST_PAGE} are allowed`);
}

/** With everything unfolded, the page itself never scrolls sideways. */
async function checkWidths(page) {
  await page.evaluate(() => document.querySelectorAll('details').forEach((fold) => { fold.open = true; }));
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= width, `at ${width} px it is ${wide} px wide`);
  }
}

test('every formula and figure has its size before it is drawn', () => {
  for (const name of PAGES) {
    for (const [tag] of readPage(name).matchAll(/<svg aria-hidden="true" style="vertical-align[^>]*>/g)) {
      assert.match(tag, / width="[\d.]+em".* viewBox="/, name);
    }
    for (const [tag] of readPage(name).matchAll(/<svg[^>]*role="img"[^>]*>/g)) {
      assert.match(tag, / viewBox="[^"]+" width="[\d.]+" height="[\d.]+"/, name);
    }
  }
});

test('from the front page every page of the book can be reached', () => {
  const seen = new Set();
  const queue = ['index.html'];
  while (queue.length) {
    const name = queue.pop();
    if (seen.has(name)) continue;
    seen.add(name);
    for (const [, target] of readPage(name).matchAll(/href="([\w.-]+\.html)/g)) {
      if (fs.existsSync(path.join(BOOK, target))) queue.push(target);
    }
  }
  assert.deepEqual(PAGES.filter((name) => !seen.has(name)), []);
});
