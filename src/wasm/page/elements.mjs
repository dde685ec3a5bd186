// In: texts. Out: elements that show them, of which each text is a text node and never markup. Absent: what the texts say.

// More rows are shown when they are asked for.
const MAX_ROWS = 200;

// How long a button says that it has copied.
const SAID_MS = 2_000;

/** An element with properties, attributes (those with a dash, and roles) and children, which are elements or text. */
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

/** A message: what stands in it between backticks is code. */
export function prose(text) {
  return text.split(/(`+[^`]+`+)/).map((part, at) => {
    const quoted = at % 2 ? /^(`+)([^`]+)\1$/.exec(part)?.[2] : undefined;
    return quoted === undefined ? part : el('code', {}, quoted);
  });
}

export const note = text => el('p', { className: 'note' }, prose(text));
export const refused = error => el('p', { className: 'refused' }, prose(error.message), ' ', el('code', { className: 'code' }, error.code));
export const chip = (text, kind = '') => el('span', { className: `chip ${kind}`.trim() }, text);

/** Text as it is, and a button that copies it. */
export function block(label, text) {
  const pre = el('pre', { tabIndex: 0, role: 'region', 'aria-label': label }, text);
  return el('div', { className: 'block' }, el('div', { className: 'top' }, label, copier(label, () => text, pre)), pre);
}

/** A button that copies a text. Where the browser does not let it, the text is selected. */
export function copier(label, text, shown) {
  const button = el('button', { type: 'button', className: 'copy', 'aria-label': `Copy: ${label}` }, 'Copy');
  button.addEventListener('click', async () => {
    let said = 'Copied';
    try {
      await navigator.clipboard.writeText(text());
    } catch {
      getSelection().selectAllChildren(shown);
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

/** The first rows, each of one element or several, and a button for more. */
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
