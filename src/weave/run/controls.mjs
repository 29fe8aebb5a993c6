// The options of a program as a form, and back as arguments.

import { element } from '../element.mjs';

/** The options' values in `args`, over the defaults: name -> value. */
export function valuesOf(options, args) {
  const values = new Map(options.map((option) => [option.name, option.default]));
  for (let i = 0; i < args.length; i += 1) {
    const option = options.find(({ name }) => name === args[i]);
    if (!option) continue;
    if (option.kind === 'flag') {
      values.set(option.name, true);
    } else {
      i += 1;
      values.set(option.name, args[i] ?? '');
    }
  }
  return values;
}

/** The shortest arguments that give these values. */
export function argumentsOf(options, values) {
  return options.flatMap((option) => {
    const value = values.get(option.name);
    if (String(value) === String(option.default)) return [];
    return option.kind === 'flag' ? [option.name] : [option.name, String(value)];
  });
}

/** An argument as it is typed in a shell. */
export const typed = (arg) => (/^[\w.,:+\/-]+$/.test(arg) ? arg : `"${arg.replace(/(["\\$`])/g, '\\$1')}"`);

/** A labelled control for each option; `id` keeps their ids apart from others' in the page. */
export function makeControls(options, values, id) {
  const controls = options.map((option, i) => {
    const input = element('input', { id: `${id}-${i}` });
    setUp(input, option);
    const label = element('label', { htmlFor: input.id, className: option.kind },
      element('code', { textContent: option.name }), ' ', element('span', { textContent: option.help }));
    const cell = element('div', {}, ...(option.kind === 'flag' ? [input, label] : [label, input]));
    if (option.words?.length) cell.append(suggestions(input, option.words));
    return { option, input, cell };
  });
  const set = (to) => controls.forEach(({ option, input }) => {
    if (option.kind === 'flag') input.checked = to.get(option.name);
    else input.value = to.get(option.name);
  });
  set(values);
  return {
    cells: controls.map(({ cell }) => cell), set,
    values: () => new Map(controls.map(({ option, input }) => [option.name, option.kind === 'flag' ? input.checked : input.value.trim()])),
  };
}

function setUp(input, option) {
  input.autocomplete = 'off';
  if (option.kind === 'flag') {
    input.type = 'checkbox';
  } else if (option.kind === 'number') {
    input.type = 'number';
    // One that stands for "not given" may lie below the least.
    input.min = Math.min(option.least, option.default);
    input.max = option.most;
  } else {
    input.type = 'text';
    input.spellcheck = false;
  }
}

function suggestions(input, words) {
  const list = element('datalist', { id: `${input.id}-words` }, ...words.map((word) => new Option(word)));
  input.setAttribute('list', list.id);
  return list;
}
