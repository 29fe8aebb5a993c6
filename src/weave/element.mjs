// Elements for what the page makes of its own.

/** A new element with these properties, and its role as the attribute that it is. */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === 'role') made.setAttribute('role', value);
    else made[name] = value;
  }
  made.append(...children);
  return made;
}
