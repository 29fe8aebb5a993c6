// Exercises in the page: checks an answer, and remembers what is solved.
// Without this script each exercise still shows its command.

{
  const STORE = 'many-heads-exercises';
  const boxes = [...document.querySelectorAll('.exercise')];
  const places = [...document.querySelectorAll('[data-exercise]')];   // the boxes, and the chapter's list
  let kept = {};

  /** What is solved: file name -> the right answer, or true where the reader said so. */
  function read() {
    try {
      const text = localStorage.getItem(STORE);
      if (text) kept = Object(JSON.parse(text));
    } catch {
      // Nothing readable is kept; what this page knows still holds.
    }
    return kept;
  }

  function keep(exercise, value) {
    kept = { ...read(), [exercise]: value };
    try {
      localStorage.setItem(STORE, JSON.stringify(kept));
    } catch {
      // It then holds for this page alone.
    }
    show();
  }

  /** Marks what is solved: where it stands, in the chapter's list, and in the contents. */
  function show() {
    read();
    for (const place of places) {
      const solved = Boolean(kept[place.dataset.exercise]);
      noteIn(place.querySelector('.exercise-facts'), solved ? '✓ solved' : '');
      place.querySelector('button[aria-pressed]')?.setAttribute('aria-pressed', String(solved));
    }
    for (const link of document.querySelectorAll('[data-of]')) {
      const exercises = link.dataset.of.split(' ');
      const solved = exercises.filter((exercise) => kept[exercise]).length;
      noteIn(link, solved ? ` ✓ ${solved} of ${exercises.length}` : '');
    }
  }

  function noteIn(element, text) {
    let note = element.querySelector('.solved');
    if (!note) {
      note = element.appendChild(document.createElement('span'));
      note.className = 'solved';
    }
    note.textContent = text;
  }

  /** The number in "0.73", "0,73", ".73" or "1/2"; NaN when there is none. */
  function numberIn(text) {
    const pieces = text.replace(/\s/g, '').replace(/,/g, '.').replace(/−/g, '-').split('/');
    const plain = pieces.every((piece) => /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(piece));
    return plain && pieces.length < 3 ? pieces[0] / (pieces[1] ?? 1) : NaN;
  }

  /** The lines of an answer's code, each as two numbers and a text: the right one, then the wrong ones. */
  function decode(code) {
    const bytes = Uint8Array.from(atob(code), (letter) => letter.charCodeAt(0));
    return new TextDecoder().decode(bytes).split('\n').map((line) => {
      const [, first, second, text] = line.match(/^(\S+) (\S+) (.*)$/);
      return [Number(first), Number(second), text];
    });
  }

  function judge({ dataset }, typed) {
    const [[right, tolerance, text], ...wrong] = decode(dataset.answer);
    const number = numberIn(typed);
    if (!Number.isFinite(number)) return { says: 'Write a number, such as 0.25 or 12.' };
    if (Math.abs(number - right) <= tolerance) return { right: true, says: `Right: the program computes ${text}.` };
    const [, , thought] = wrong.find(([low, high]) => low <= number && number <= high) ?? [0, 0, 'Hint 1 may help.'];
    return { says: `Not what the program computes. ${thought}` };
  }

  for (const box of boxes) {
    const { exercise } = box.dataset;
    box.querySelector('button[aria-pressed]')
      ?.addEventListener('click', () => keep(exercise, read()[exercise] ? undefined : true));

    const form = box.querySelector('form');
    if (!form) continue;
    const input = form.querySelector('input');
    const said = form.querySelector('[role=status]');
    const say = ({ right, says }) => {
      // A new node: the same words are then read out again.
      said.replaceChildren(says);
      said.className = right ? 'solved' : '';
      input.setAttribute('aria-invalid', String(!right));
    };
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      const verdict = judge(form, input.value);
      say(verdict);
      if (verdict.right) keep(exercise, input.value);
    });
    // The answer of an earlier visit, unless the book has changed since.
    const answer = read()[exercise];
    if (!answer) continue;
    const verdict = judge(form, String(answer));
    if (verdict.right) {
      input.value = answer;
      say(verdict);
    } else {
      keep(exercise, undefined);
    }
  }

  show();
  window.addEventListener('storage', show);
  window.addEventListener('pageshow', show);
}
