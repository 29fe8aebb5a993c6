// What helps a reader to find the way: links that say where they lead, terms that
// say what they mean, contents that show where one is, a bar that stays.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { hasClass, treeOf } from '../../src/weave/html_tree.mjs';
import { openPage, PAGES, PAGES_WITH_DEPTHS, readersOf, readPage, startBrowser, urlOf } from './open_book.mjs';

const WIDE = { viewport: { width: 1280, height: 800 } };

let browser;
before(async () => { browser = await startBrowser(); });
after(() => browser?.close());

const reader = readersOf(() => browser);

const pageWith = (text) => PAGES_WITH_DEPTHS.find((name) => readPage(name).includes(text));

/** The card's text once it shows. */
async function cardAt(page, link) {
  await link.scrollIntoViewIfNeeded();
  await link.hover();
  await page.waitForSelector('#preview:not([hidden])');
  return page.locator('#preview');
}

test('a citation shows its source where one points, and goes with Escape', () => reader(WIDE, async (context) => {
  const { page } = await openPage(context, pageWith('class="cite"'));
  const link = page.locator('a.cite').first();
  const title = await link.getAttribute('title');
  assert.match(title, /\(\d{4}\w?\)\. .+\./);
  const card = await cardAt(page, link);
  assert.equal(await card.textContent(), title);
  assert.equal(await link.getAttribute('aria-describedby'), 'preview');
  assert.equal(await link.getAttribute('title'), null, 'the browser shows no second one');
  await page.keyboard.press('Escape');
  assert.ok(await card.isHidden());
  assert.equal(await link.getAttribute('aria-describedby'), null);
}));

test('the keyboard shows it too, and it goes when the focus goes', () => reader(WIDE, async (context) => {
  const { page } = await openPage(context, pageWith('class="cite"'));
  const link = page.locator('a.cite').first();
  await link.focus();
  await page.waitForSelector('#preview:not([hidden])');
  await link.evaluate((element) => element.blur());
  await page.waitForSelector('#preview', { state: 'hidden' });
}));

test('one can go from the link to its card, and it stays', () => reader(WIDE, async (context) => {
  const { page } = await openPage(context, pageWith('class="cite"'));
  const card = await cardAt(page, page.locator('a.cite').first());
  const box = await card.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 5 });
  await page.waitForTimeout(500);
  assert.ok(await card.isVisible());
  await page.mouse.move(2, 2);
  await page.waitForSelector('#preview', { state: 'hidden' });
}));

test('a name of the library says what it is, at every link to it', () => reader(WIDE, async (context) => {
  const { page } = await openPage(context, 'head_split.html');
  const twice = await page.$$eval('article pre a[href*=".html#"]', (links) => links.map((link) => link.getAttribute('href'))
    .find((href, i, all) => all.indexOf(href) < i && document.querySelector(`a[title][href="${href}"]`)));
  assert.ok(twice, 'some name is linked twice');
  const links = page.locator(`article pre a[href="${twice}"]`);
  const words = await (await cardAt(page, links.nth(1))).textContent();
  assert.ok(words.length > 10, words);
  await page.mouse.move(2, 2);
  await page.waitForSelector('#preview', { state: 'hidden' });
  assert.equal(await (await cardAt(page, links.first())).textContent(), words);
}));

test('a term says what it means, where one points and to the keyboard, at every link to it', () => reader(WIDE, async (context) => {
  const { page } = await openPage(context, 'concat_as_sum.html');
  const link = page.locator('a.term[title]').first();
  const title = await link.getAttribute('title');
  const card = await cardAt(page, link);
  assert.equal(await card.textContent(), title);
  await page.mouse.move(2, 2);
  await page.waitForSelector('#preview', { state: 'hidden' });
  const again = page.locator('.researcher a.term:not([title])').first();   // the first one to it is for developers
  const entry = await page.locator(`a.term[title][href="${await again.getAttribute('href')}"]`).getAttribute('title');
  await again.focus();
  await page.waitForSelector('#preview:not([hidden])');
  assert.equal(await card.textContent(), entry);
  assert.equal(await again.getAttribute('aria-describedby'), 'preview');
}));

test('a tap on a term leads to its entry, with script and without', async () => {
  for (const javaScriptEnabled of [true, false]) {
    await reader({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, javaScriptEnabled }, async (context) => {
      const page = await context.newPage();
      await page.goto(urlOf('head_split.html', '?depth=beginner'));
      const link = page.locator('a.term:visible').first();
      const entry = (await link.getAttribute('href')).replace('glossary.html#', '');
      await link.tap();
      await page.waitForURL(/glossary\.html#term-/);
      assert.ok((await page.locator(`#${entry}`).boundingBox()).y < 844, entry);
      assert.match(page.url(), new RegExp(`#${entry}$`));
    });
  }
});

test('no reader meets a term twice as a link of one depth, none in a heading, a link, a caption or code', () => {
  let terms = 0;
  const look = (node, name, depth, around, met) => {
    for (const child of node.children ?? []) {
      if (typeof child === 'string') continue;
      const here = hasClass(child, 'depth') ? child.attributes['data-depth'] : depth;
      if (hasClass(child, 'term')) {
        const link = `${here} ${child.attributes.href}`;
        assert.ok(!met.has(link) && !met.has(`all ${child.attributes.href}`), `${name}: ${link} twice`);
        assert.match(around, /^(?:article|div|p|ul|ol|li|em|strong|span| )+$/, `${name}: ${link}`);
        met.add(link);
        terms += 1;
      }
      look(child, name, here, `${around} ${child.tag}`, met);
    }
  };
  for (const name of PAGES) look(treeOf(readPage(name).match(/<article>[\s\S]*<\/article>/)[0].replace(/<svg\b[\s\S]*?<\/svg>/g, '')), name, 'all', '', new Set());
  assert.ok(terms > 300, `${terms} terms`);
});

test('a number of a formula shows the formula, in one piece', () => reader(WIDE, async (context) => {
  const name = PAGES_WITH_DEPTHS.find((page) => readPage(page).includes(`class="eqref" href="${page}#`) || readPage(page).includes('class="eqref" href="#'));
  const { page } = await openPage(context, name);
  const card = await cardAt(page, page.locator(`a.eqref:is([href^="#"], [href^="${name}#"])`).first());
  assert.equal(await card.locator('svg').count(), 1);
  const repeated = await page.$$eval('[id]', (all) => all.map(({ id }) => id).filter((id, i, ids) => ids.indexOf(id) < i));
  assert.deepEqual(repeated, []);
}));

test('no formula is cut on a wide screen', () => reader(WIDE, async (context) => {
  for (const name of PAGES_WITH_DEPTHS.filter((page) => readPage(page).includes('class="formula"'))) {
    const { page } = await openPage(context, name);
    const cut = await page.$$eval('.formula', (all) => all.filter((box) => box.scrollWidth > box.clientWidth).map((box) => box.parentElement.id || box.textContent.slice(0, 40)));
    assert.deepEqual(cut, [], name);
    await page.close();
  }
}));

test('the contents show the page, and the section that is read', () => reader(WIDE, async (context) => {
  const { page } = await openPage(context, 'real_heads.html');
  const inSight = (selector) => page.$eval(selector, (link) => {
    const [box, list] = [link, link.closest('.contents')].map((element) => element.getBoundingClientRect());
    return box.top >= list.top && box.bottom <= list.bottom;
  });
  assert.ok(await inSight('.contents [aria-current="page"]'), 'on arrival');
  const sections = await page.$$eval('[aria-current="page"] ~ .sections a', (links) => links.map((link) => link.hash.slice(1)));
  assert.ok(sections.length > 4);
  for (const id of [sections[2], sections.at(-1), sections[1]]) {
    await page.$eval(`[id="${id}"]`, (heading) => window.scrollTo({ top: heading.getBoundingClientRect().top + window.scrollY - 100, behavior: 'instant' }));
    await page.waitForFunction((hash) => document.querySelector('.contents [aria-current="location"]')?.hash === hash, `#${id}`);
    assert.ok(await inSight('.contents [aria-current="location"]'), id);
  }
}));

test('on a phone the way to the contents stays on the screen', () => reader({ viewport: { width: 390, height: 844 } }, async (context) => {
  const { page } = await openPage(context, 'head_split.html');
  await page.evaluate(() => window.scrollTo({ top: 4000, behavior: 'instant' }));
  for (const selector of ['.to-contents', 'button.search']) {
    const box = await page.locator(selector).boundingBox();
    assert.ok(box.y >= 0 && box.y + box.height <= 70, `${selector} at ${box.y}`);
  }
  const heading = page.locator('article > h2').nth(1);
  await page.evaluate((hash) => { location.hash = hash; }, await heading.getAttribute('id'));
  const bar = await page.$eval('.bar', (element) => element.getBoundingClientRect().bottom);
  assert.ok((await heading.boundingBox()).y >= bar, 'a section that was asked for is not under the bar');
}));

test('the arrow keys turn the page, and not where something else has a use for them', () => reader(WIDE, async (context) => {
  const { page } = await openPage(context, 'head_split.html');
  const at = () => new URL(page.url()).pathname.replace(/.*\//, '');
  const stays = async (key, why) => {
    await page.keyboard.press(key);
    await page.waitForTimeout(150);
    assert.equal(at(), 'head_split.html', why);
  };
  for (const key of ['Control', 'Shift', 'Meta']) await stays(`${key}+ArrowRight`, `with ${key}`);
  await page.locator('.answer input:visible').first().focus();
  await stays('ArrowRight', 'in a field');
  await page.locator('.plate[tabindex="0"]').first().focus();
  await stays('ArrowRight', 'in a figure that has values');
  await page.locator('pre a:visible').first().focus();
  await stays('ArrowRight', 'in code, which may scroll');
  await page.keyboard.press('Escape');
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press('/');
  await page.waitForSelector('dialog[open]');
  await stays('ArrowLeft', 'while one searches');
  await page.locator('dialog button').first().focus();
  await stays('ArrowLeft', 'on a button of the search');
  await page.keyboard.press('Escape');
  await page.waitForSelector('dialog[open]', { state: 'hidden' });
  await page.evaluate(() => { document.activeElement.blur(); document.body.style.width = '200vw'; });
  await stays('ArrowRight', 'where the page scrolls sideways');
  await page.evaluate(() => { document.body.style.width = ''; });
  await page.locator('article a').first().focus();
  await page.keyboard.press('ArrowRight');
  await page.waitForURL(/concat_as_sum\.html$/);
  await page.keyboard.press('ArrowLeft');
  await page.waitForURL(/head_split\.html$/);
  assert.equal(await page.getAttribute('.turn [rel="next"]', 'aria-keyshortcuts'), 'ArrowRight');
  await page.goto(urlOf('index.html'));
  await page.keyboard.press('ArrowLeft');
  await page.waitForTimeout(150);
  assert.equal(at(), 'index.html', 'nothing is before the first page');
}));

test('the front page leads into the first chapter at each depth', () => reader(WIDE, async (context) => {
  const { page } = await openPage(context, 'index.html');
  const ways = await page.$$eval('.start a', (links) => links.map((link) => link.getAttribute('href')));
  assert.deepEqual(ways, ['beginner', 'developer', 'researcher'].map((depth) => `single_head.html?depth=${depth}`));
  await page.click('.start a >> nth=1');
  await page.waitForFunction(() => document.documentElement.dataset.depth === 'developer');
  assert.ok(PAGES.includes('single_head.html'));
}));
