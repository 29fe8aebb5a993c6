// The page's few moving parts: depth switch, search, day and night, folded blocks.
// Without this script every depth shows and nothing is missing.

const page = document.documentElement;

/** Keeps a choice for the next page; a browser may forbid it. */
function remember(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch {
    // The choice then holds for this page alone.
  }
}

/** Says something to those who hear the page. */
function announce(text) {
  heard.replaceChildren(text);   // a new node: the same words are then read out again
}

const heard = document.createElement('p');
heard.className = 'heard';
heard.setAttribute('role', 'status');
document.body.append(heard);

// --- depth -------------------------------------------------------------

const depthButtons = [...document.querySelectorAll('.depths button')];

function showDepth(depth) {
  page.dataset.depth = depth;
  for (const button of depthButtons) {
    button.setAttribute('aria-pressed', String(button.dataset.depth === depth));
  }
}

/** The first block of text still on the screen, so that a switch keeps the reader's place. */
function readingPlace() {
  const blocks = [...document.querySelectorAll('article > *, .depth > *')];
  const top = document.querySelector('.bar').getBoundingClientRect().bottom;
  return blocks.find((block) => {
    const box = block.getBoundingClientRect();
    return box.height > 0 && box.bottom > Math.max(top, 0) + 8 && !block.classList.contains('depth');
  });
}

/** An address that names a depth names the one that shows. */
function putInAddress(depth) {
  const address = new URL(location);
  if (depth === 'all') address.searchParams.delete('depth');
  else address.searchParams.set('depth', depth);
  try {
    history.replaceState(history.state, '', address);
  } catch {
    // Some browsers forbid it to a page opened from a folder.
  }
}

function switchDepth(depth) {
  const place = window.scrollY > 0 ? readingPlace() : null;
  const before = place?.getBoundingClientRect().top;
  showDepth(depth);
  remember('depth', depth);
  putInAddress(depth);
  announce(`Depth: ${depth}`);
  if (!place) return;
  let still = place;
  while (still && still.getClientRects().length === 0) {
    still = still.previousElementSibling ?? still.parentElement;
  }
  if (still) window.scrollBy({ top: still.getBoundingClientRect().top - before, behavior: 'instant' });
}

for (const button of depthButtons) {
  button.addEventListener('click', () => switchDepth(button.dataset.depth));
}
showDepth(page.dataset.depth || 'all');

// --- links into hidden or folded blocks --------------------------------

function revealTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  const block = target.closest('.depth');
  if (block && block.getClientRects().length === 0) {
    showDepth(block.dataset.depth);
    announce(`Depth: ${block.dataset.depth}, where the link leads`);
  }
  for (let fold = target.closest('details'); fold; fold = fold.parentElement.closest('details')) {
    fold.open = true;
  }
  target.scrollIntoView();
}

window.addEventListener('hashchange', revealTarget);
if (location.hash) revealTarget();

// --- what is read when it is first asked for ----------------------------------

const asked = new Map();   // script -> promise that it has run

function readScript(name) {
  if (!asked.has(name)) {
    asked.set(name, new Promise((done, fail) => {
      const script = document.createElement('script');
      script.onload = done;
      script.onerror = () => {
        asked.delete(name);   // it may be tried again
        fail(new Error(`No ${name} here`));
      };
      script.src = name;
      document.head.append(script);
    }));
  }
  return asked.get(name);
}

// --- search ---------------------------------------------------------------

const searchButton = document.querySelector('button.search');

function search() {
  readScript('search.js').then(
    () => window.manyHeadsSearch.open(),
    (error) => { searchButton.textContent = error.message; },
  );
}

searchButton.addEventListener('click', search);
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, dialog')) return;
  event.preventDefault();
  search();
});

// --- day and night ------------------------------------------------------

const lightButton = document.querySelector('button.light');
const prefersNight = window.matchMedia('(prefers-color-scheme: dark)');

function isNight() {
  return page.dataset.colours ? page.dataset.colours === 'night' : prefersNight.matches;
}

function showColours() {
  lightButton.setAttribute('aria-pressed', String(isNight()));
}

lightButton.addEventListener('click', () => {
  page.dataset.colours = isNight() ? 'day' : 'night';
  remember('colours', page.dataset.colours);
  showColours();
});
prefersNight.addEventListener('change', showColours);
showColours();

// --- copying code -------------------------------------------------------------

/** The code as it stands in its file: no line numbers, no notes on where it is shown. */
function codeOf(pre) {
  const code = pre.querySelector('code').cloneNode(true);
  for (const note of code.querySelectorAll('.shown')) note.remove();
  return code.textContent.replace(/ +$/gm, '');
}

/** Copies the code; a browser that has no clipboard for pages copies what is selected. Gives what to say of it. */
async function copyCode(pre) {
  try {
    await navigator.clipboard.writeText(codeOf(pre));
    return 'Copied';
  } catch {
    window.getSelection().selectAllChildren(pre.querySelector('code'));
    return document.execCommand('copy') ? 'Copied' : 'Selected';
  }
}

/** A button in the caption, or above the code's corner where it has none. */
function offerCopy(pre) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  const caption = pre.parentElement.querySelector(':scope > figcaption');
  const named = caption?.querySelector('.part')?.textContent;
  if (named) button.ariaLabel = `Copy: ${named}`;
  if (caption) {
    caption.insertBefore(button, caption.querySelector('a'));
  } else {
    const box = document.createElement('div');
    box.className = pre.className.replace('code', 'code-box');
    pre.replaceWith(box);
    box.append(pre, button);
  }
  // A tap beside it may show it in time to be hit by the same tap: that one is not meant for it.
  let pressed = false;
  button.addEventListener('pointerdown', () => { pressed = true; });
  button.addEventListener('click', async ({ detail }) => {
    const byKey = detail === 0;
    if (!byKey && !pressed) return;
    pressed = false;
    button.textContent = await copyCode(pre);
    announce(button.textContent);
    setTimeout(() => { button.textContent = 'Copy'; }, 2000);
  });
}
document.querySelectorAll('pre.code:not(.member pre)').forEach(offerCopy);

// --- programs and figures ---------------------------------------------------

/** A button that opens the controls of the program whose run stands there. */
function offerRun(figure) {
  const { megabytes } = figure.dataset;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'run-here';
  button.textContent = megabytes ? `Run it here (reads ${megabytes} MB)` : 'Run it here';
  const beside = document.createElement('div');
  beside.className = 'run-opener';
  beside.append(button);
  figure.querySelector('.plate, .output figcaption').after(beside);
  button.addEventListener('click', () => readScript('live.js').then(
    () => window.manyHeadsLive.run(figure, beside, button),
    (error) => { button.textContent = error.message; },
  ));
  return button;
}
document.querySelectorAll('figure[data-program]').forEach(offerRun);

// A command in the text is run below its paragraph.
const programs = new Map((page.dataset.programs ?? '').split(' ').map((pair) => pair.split(':')));
for (const code of document.querySelectorAll('article :is(p, li, dd) > code')) {
  const [, number, rest] = code.textContent.match(/^\.\/mha run (\d+)( [^\n]*)?$/) ?? [];
  if (!programs.has(number) || /\b[A-Z]{4}|--gpu|--measure/.test(rest)) continue;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'run-command';
  button.title = 'Run it here';
  button.ariaLabel = `Run ${code.textContent} here`;
  code.after(button);
  button.addEventListener('click', () => readScript('live.js').then(
    () => offerRun(window.manyHeadsLive.figureFor(code, button, programs.get(number), rest ?? '')).click(),
    (error) => { button.title = error.message; },
  ));
}

// Marks that have a name say it where the reader points, or goes by the arrow keys.
const namesMarks = (box) => box.querySelector('svg :not(svg) > title') !== null;
for (const plate of document.querySelectorAll('.plate')) {
  const begin = () => readScript('live.js').then(() => window.manyHeadsLive.values(plate), () => {});
  for (const event of ['pointerenter', 'focus']) plate.addEventListener(event, begin, { once: true });
}

// What a link leads to, where that can be said beside it.
function offerPreview(event) {
  const link = event.target.closest?.('article a:is([title], .eqref, .term, pre a)');
  if (!link || event.pointerType === 'touch') return;
  readScript('live.js').then(() => window.manyHeadsLive.preview(link), () => {});
}
for (const event of ['pointerover', 'focusin']) document.addEventListener(event, offerPreview);

// --- where one is -----------------------------------------------------------

// The contents mark the section that is being read, and keep it in sight.
const list = document.querySelector('.contents');
const sections = [...list.querySelectorAll('[aria-current="page"] ~ .sections a')]
  .map((link) => ({ link, heading: document.getElementById(decodeURIComponent(link.hash.slice(1))) }))
  .filter(({ heading }) => heading);
let marked = null;

function markSection() {
  const atEnd = window.innerHeight + window.scrollY > page.scrollHeight - 4;
  const line = atEnd ? window.innerHeight : window.innerHeight / 3;
  const now = sections.findLast(({ heading }) => heading.getClientRects().length > 0 && heading.getBoundingClientRect().top < line)?.link ?? null;
  if (now === marked) return;
  marked?.removeAttribute('aria-current');
  now?.setAttribute('aria-current', 'location');
  marked = now;
  if (!now || list.scrollHeight <= list.clientHeight) return;
  const inside = now.getBoundingClientRect().top - list.getBoundingClientRect().top;
  if (inside < 40 || inside > list.clientHeight - 60) list.scrollTop += inside - list.clientHeight / 3;
}

// On arrival the page's own line is in sight.
const own = list.querySelector('[aria-current="page"]');
if (own) list.scrollTop += own.getBoundingClientRect().top - list.getBoundingClientRect().top - 120;

let due = false;
if (sections.length > 0) {
  document.addEventListener('scroll', () => {
    if (due) return;
    due = true;
    requestAnimationFrame(() => { due = false; markSection(); });
  }, { passive: true });
  markSection();
}

// --- the keyboard ---------------------------------------------------------

// The arrow keys turn the page, unless something on it has a use for them.
document.addEventListener('keydown', (event) => {
  const way = { ArrowLeft: 'prev', ArrowRight: 'next' }[event.key];
  if (!way || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.repeat || event.defaultPrevented) return;
  if (event.target.closest('input, select, textarea, pre, .formula, .table, .plate') || document.querySelector('dialog[open]')) return;
  if (page.scrollWidth > page.clientWidth || window.visualViewport.scale > 1) return;   // they scroll
  document.querySelector(`.turn [rel=${way}]`)?.click();
});

// A box that scrolls, or a figure that has values, and no other, is reached with the Tab key. Without script
// the browser sees to it.
const boxes = new ResizeObserver((changed) => {
  for (const { target } of changed) {
    if (target.scrollWidth > target.clientWidth || namesMarks(target)) target.tabIndex = 0;
    else target.removeAttribute('tabindex');
  }
});
for (const box of document.querySelectorAll('pre, .formula, .table, .plate')) boxes.observe(box);

// --- printing ------------------------------------------------------------

let folded = [];
window.addEventListener('beforeprint', () => {
  folded = [...document.querySelectorAll('article details:not([open], .hint)')];
  for (const fold of folded) fold.open = true;
});
window.addEventListener('afterprint', () => {
  for (const fold of folded) fold.open = false;
});
