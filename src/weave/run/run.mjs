// Running the chapters' programs in the page: a button at each output and
// figure, with the program's options beside it.

import { element } from '../element.mjs';
import { inlineSvg } from '../figures.mjs';
import { slug } from '../html.mjs';
import { count, outputParts, readClaims, runsOfClaim, trimBlank } from '../program_text.mjs';
import { argumentsOf, makeControls, typed, valuesOf } from './controls.mjs';
import { loadProgram, PageProgram } from './page_program.mjs';
import style from './run.css';

document.head.append(element('style', { textContent: style }));
const running = new Map();   // name -> {description, program}

/** The program of that name, loaded once for the page. */
async function programNamed(name, onPart) {
  const description = await loadProgram(name, onPart);
  if (!running.has(name)) running.set(name, { description, program: new PageProgram(description) });
  return running.get(name);
}

/** What a run changes in the page, and how it is put back. */
class Place {
  constructor(figure) {
    const { program, options = '[]', figure: drawing } = figure.dataset;
    Object.assign(this, { figure, name: program, woven: JSON.parse(options), drawing });
    this.shown = figure.querySelector(drawing === undefined ? 'pre samp' : '.plate');
    this.command = figure.querySelector('figcaption > kbd');
    this.heading = figure.querySelector('figcaption .part');
    this.part = this.heading?.textContent;
    this.kept = [this.shown, this.command, this.heading].map((node) => node?.innerHTML);
  }

  /** The arguments of a run; null stands for the file it writes. */
  args(options) {
    if (this.drawing === undefined) return options;
    return [...options, '--svg', null, ...(this.drawing ? ['--figure', this.drawing] : [])];
  }

  /** Says how the run is typed. */
  showCommand(number, options) {
    if (this.command) this.command.textContent = ['./mha run', number, ...options.map(typed)].join(' ');
  }

  show({ text, written }) {
    if (this.drawing !== undefined) this.#draw(written);
    else this.#print(text);
  }

  #draw(svg) {
    const prefix = this.shown.querySelector('svg').getAttribute('class');
    this.shown.innerHTML = inlineSvg(svg, prefix);
  }

  /** The part of the output that stood here; all of it where that part is not there. */
  #print(text) {
    const parts = [...outputParts(text)];
    const [heading, lines] = this.part === undefined ? [] : parts.find(([name]) => name === this.part) ?? this.#inItsPlace(parts) ?? [];
    this.shown.textContent = `${(lines ?? trimBlank(text.split('\n'))).join('\n')}\n`;
    if (this.heading) this.heading.textContent = heading ?? '';
  }

  /** A heading may name a number that was changed: "In tiles of 3". */
  #inItsPlace(parts) {
    const shape = (name) => name.replace(/\d+/g, '#');
    return parts.find(([name]) => shape(name) === shape(this.part));
  }

  putBack() {
    [this.shown, this.command, this.heading].forEach((node, i) => {
      if (node) node.innerHTML = this.kept[i];
    });
  }
}

const made = new Map();   // figure -> the button in the text that made it

/** A place for the output of a command in the text, below its paragraph; it stays until it is reset. */
export function figureFor(code, button, program, rest) {
  const options = [...rest.matchAll(/"([^"]*)"|(\S+)/g)].map((word) => word[1] ?? word[2]);
  const figure = element('figure', { className: 'output run-made' },
    element('figcaption', {}, element('kbd', { textContent: code.textContent })),
    element('pre', {}, element('samp', {})));
  Object.assign(figure.dataset, { program, options: JSON.stringify(options) });
  button.closest('p, li, dd').after(figure);
  made.set(figure, button);
  button.disabled = true;
  return figure;
}

let opened = 0;

/** Runs what stands in `figure`, and puts the program's options in place of the button. */
export async function openRun(figure, beside, opener) {
  const place = new Place(figure);
  const label = opener.textContent;
  opener.disabled = true;
  try {
    const { description, program } = await programNamed(place.name, (part) => {
      opener.textContent = `Reading: ${Math.round(100 * part)} %`;
    });
    opened += 1;
    const form = makeForm(place, description, program, `run-${opened}`, () => close(figure, beside, opener));
    beside.replaceChildren(form.element);
    form.run();
  } catch (error) {
    beside.replaceChildren(opener, element('span', { className: 'run-failed', textContent: ` ${error.message}` }));
  }
  opener.textContent = label;
  opener.disabled = false;
}

/** Back to what was there before it was opened. */
function close(figure, beside, opener) {
  const button = made.get(figure);
  if (button) {
    figure.remove();
    button.disabled = false;
    button.focus();
  } else {
    beside.replaceChildren(opener);
    opener.focus();
  }
}

function makeForm(place, { number, options }, program, id, end) {
  const controls = makeControls(options, valuesOf(options, place.woven), id);
  const button = (text, type = 'button') => element('button', { type, textContent: text });
  const [run, stop, check, reset] = [button('Run', 'submit'), button('Stop'), button('Check the claims'), button('Reset')];
  const said = element('p', { className: 'run-said', role: 'status' });
  const clock = element('span', { className: 'run-clock', ariaHidden: 'true' });
  const form = element('form', { className: 'run-form', noValidate: true },
    element('div', { className: 'run-options' }, ...controls.cells),
    element('div', { className: 'run-buttons' }, run, stop, check, reset, clock), said);
  form.setAttribute('aria-label', `Run ${place.name}`);
  stop.hidden = true;

  const say = (text, failed = false) => {
    said.replaceChildren(text);
    said.classList.toggle('run-failed', failed);
  };

  /** Does `work`, which gives what to say, with the buttons as they must be meanwhile. */
  async function busy(what, work) {
    const began = performance.now();
    const seconds = () => ((performance.now() - began) / 1000).toFixed(1);
    const ticking = setInterval(() => { clock.textContent = `${seconds()} s`; }, 100);
    const held = document.activeElement === run || document.activeElement === check ? document.activeElement : null;
    for (const other of [run, check, reset]) other.disabled = true;
    stop.hidden = false;
    if (held) stop.focus();
    place.figure.setAttribute('aria-busy', 'true');
    say(what);
    try {
      const { text, failed } = await work(seconds);
      say(text, failed);
    } catch (error) {
      say(error.message, true);
    } finally {
      clearInterval(ticking);
      clock.textContent = '';
      place.figure.removeAttribute('aria-busy');
      for (const other of [run, check, reset]) other.disabled = false;
      const toStop = document.activeElement === stop;
      stop.hidden = true;
      if (toStop && held) held.focus();
    }
  }

  const start = () => busy('Running.', async (seconds) => {
    const chosen = argumentsOf(options, controls.values());
    place.showCommand(number, chosen);
    const showLines = place.drawing === undefined && place.part === undefined
      ? (lines) => place.show({ text: lines.join('\n') }) : undefined;
    const ended = await program.run(place.args(chosen), showLines);
    if (!ended) return { text: 'Stopped.' };
    if (ended.status !== 0) return { text: complaint(ended), failed: true };
    place.show(ended);
    return { text: `Ran in ${seconds()} s, here in your browser.` };
  });

  const checkClaims = () => busy('Checking every claim of this program.', async (seconds) => {
    const ended = await program.run(['--test', '-r=xml']);
    if (!ended) return { text: 'Stopped.' };
    if (!/<\/doctest>/.test(ended.text)) return { text: complaint(ended), failed: true };
    return verdict(readClaims(ended.text), seconds());
  });

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (!run.disabled) start();
  });
  check.addEventListener('click', checkClaims);
  stop.addEventListener('click', () => program.stop());
  reset.addEventListener('click', () => {
    place.putBack();
    end();
  });
  return { element: form, run: start };
}

/** The program's own last word, or what its status means. */
function complaint({ status, complaints }) {
  return complaints.filter((text) => text.trim()).pop()
    ?? `The program ended with status ${status} and said nothing.`;
}

/** Marks the page's claims of the program, and gives the sum. */
function verdict(claims, seconds) {
  const ids = new Map([...claims.keys()].map((sentence) => sentence.replace(/<[^<]*>$/, '')).map((sentence) => [`claim-${slug(sentence)}`, sentence]));
  for (const claim of document.querySelectorAll('details.claim')) {
    if (!ids.has(claim.id)) continue;
    const runs = runsOfClaim(claims, ids.get(claim.id));
    const held = runs.reduce((sum, run) => sum + run.held, 0);
    const failed = runs.some((run) => run.failed) || held === 0;
    const badge = claim.querySelector('.badge');
    badge.textContent = failed ? 'failed here in your browser' : `held: ${count(held, 'check')}, here in your browser`;
    badge.classList.toggle('failed', failed);
  }
  const failed = [...claims].filter(([, run]) => run.failed).map(([sentence]) => `“${sentence}”`);
  const all = [...claims.values()];
  if (failed.length) return { text: `${failed.length} of ${count(all.length, 'claim')} failed here: ${failed.join(', ')}.`, failed: true };
  return { text: `All ${count(all.length, 'claim')} of this program held here, in ${seconds} s: ${count(all.reduce((sum, run) => sum + run.held, 0), 'check')}.` };
}
