// Builds DOM elements. Every text becomes a text node, never markup.

// Further rows are shown on request.
const MAX_ROWS = 200;

// How long a button shows that it has copied, in milliseconds.
const SAID_MS = 2_000;

/** Creates an element with properties, attributes (names with a dash, and `role`) and children (elements or text). */
export function el(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined) continue;
    if (name.includes('-') || ['role', 'colspan', 'scope'].includes(name)) made.setAttribute(name, value);
    else made[name] = value;
  }
  made.append(...children.flat(9).filter(child => child !== null && child !== undefined && child !== '' && child !== false));
  return made;
}

export const number = value => value.toLocaleString('en');
export const count = (value, one, many = `${one}s`) => `${number(value)} ${value === 1 ? one : many}`;

/** A message. Text between backticks is shown as code. */
export function prose(text) {
  return text.split(/(`+[^`]+`+)/).map((part, at) => {
    const quoted = at % 2 ? /^(`+)([^`]+)\1$/.exec(part)?.[2] : undefined;
    return quoted === undefined ? part : el('code', {}, quoted);
  });
}

/** A text with parts of it marked: where each starts and ends, in characters, which may be two units of a string. */
export function marked(text, marks) {
  const letters = [...text];
  const part = (from, to) => letters.slice(from, to).join('');
  const ends = [0, ...marks.map(([, end]) => end)];
  return [...marks.flatMap(([start, end], at) => [part(ends[at], start), el('mark', {}, part(start, end))]), part(ends.at(-1))];
}

export const note = text => el('p', { className: 'note' }, prose(text));
export const refused = error => el('p', { className: 'refused' }, prose(error.message), ' ', el('code', { className: 'code' }, error.code));
export const chip = (text, kind = '') => el('span', { className: `chip ${kind}`.trim() }, text);

/** Preformatted text with a button that copies it, and parts of it marked. */
export function block(label, text, marks = []) {
  const pre = el('pre', { tabIndex: 0, role: 'region', 'aria-label': label }, marks.length ? marked(text, marks) : text);
  return el('div', { className: 'block' }, el('div', { className: 'top' }, label, copier(label, () => text, pre)), pre);
}

/** A button that copies a text, or selects it if the browser does not allow copying. */
export function copier(label, text, shown) {
  const button = el('button', { type: 'button', className: 'copy', 'aria-label': `Copy: ${label}` }, 'Copy');
  button.addEventListener('click', async () => {
    let said = 'Copied';
    try {
      await navigator.clipboard.writeText(text());
    } catch {
      if (shown.select) shown.select(); else getSelection().selectAllChildren(shown);
      said = 'Selected: press Ctrl+C';
    }
    button.textContent = said;
    say(said);
    setTimeout(() => { button.textContent = 'Copy'; }, SAID_MS);
  });
  return button;
}

function say(text) {
  document.getElementById('said').textContent = text;
}

/** The first rows, each one element or several, and a button that shows the rest. */
export function rows(into, items, make) {
  const more = el('button', { type: 'button', className: 'more' });
  let shown = 0;
  const add = () => {
    const next = items.slice(shown, shown + MAX_ROWS);
    const part = next.flatMap(make);
    into.append(...part);
    shown += next.length;
    more.textContent = `Show more (${number(items.length - shown)})`;
    more.hidden = shown >= items.length;
    return part[0];
  };
  add();
  more.addEventListener('click', () => add()?.querySelector('button, a')?.focus());
  return more.hidden ? [into] : [into, more];
}
