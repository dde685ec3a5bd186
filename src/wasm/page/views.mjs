// In: the answers of the module for one dialect. Out: what is seen of them, as elements. Texts from files become text nodes and
// never markup. Absent: where the answers come from, and what a press of a button changes (`page.mjs`).

// More rows are shown when they are asked for.
const MAX_ROWS = 200;

/** An element with properties, attributes (those with a dash, and roles) and children, which are elements or text. */
export function el(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.includes('-') || name === 'role') made.setAttribute(name, value);
    else made[name] = value;
  }
  made.append(...children.flat(9).filter(child => child !== null && child !== undefined && child !== ''));
  return made;
}

export const number = value => value.toLocaleString('en');
export const count = (value, one, many = `${one}s`) => `${number(value)} ${value === 1 ? one : many}`;

const note = text => el('p', { className: 'note' }, text);
const refused = error => el('p', { className: 'refused' }, `${error.message} `, el('code', {}, error.code));
const chip = (text, kind = '') => el('span', { className: `chip ${kind}` }, text);
const block = (label, text) => el('pre', { tabIndex: 0, role: 'region', 'aria-label': label }, text);

// The first rows, and a button for more.
function rows(into, items, make) {
  const more = el('button', { type: 'button', className: 'more' });
  let shown = 0;
  const add = () => {
    const part = items.slice(shown, shown + MAX_ROWS).map(make);
    into.append(...part);
    shown += part.length;
    more.textContent = `Show more (${number(items.length - shown)})`;
    more.hidden = shown >= items.length;
    return part[0];
  };
  add();
  more.addEventListener('click', () => add()?.querySelector('button, a')?.focus());
  return more.hidden ? [into] : [into, more];
}

const OUTCOMES = {
  'in-use': 'in use',
  hidden: 'hidden from the model',
  'left-out': 'left out of the prompt',
  shadowed: 'shadowed',
  skipped: 'skipped',
};

const byPath = outcomes => new Map(outcomes.map(one => [one.path, one]));

function users(skill) {
  if (skill.model && skill.user) return 'model and user';
  return skill.model ? 'model' : skill.user ? 'user' : 'nobody';
}

/** The skills: key, name, description, source, state. Then what is not among them, and why. */
export function skills({ list, why }, page) {
  const became = byPath(why.outcomes);
  const others = why.outcomes.filter(({ outcome }) => outcome === 'skipped' || outcome === 'shadowed');
  const told = `${count(list.skills.length, 'skill')}, ${number(others.length)} not in use, ${count(list.findings.length, 'finding')}`;
  const heads = ['Key', 'Name', 'Description', 'Source', 'State'];
  const cell = (label, ...children) => el('td', { role: 'cell', 'data-label': label }, ...children);
  const body = el('tbody', { role: 'rowgroup' });
  const table = el('table', { role: 'table', className: 'skills', 'aria-label': 'Skills' },
    el('thead', { role: 'rowgroup' }, el('tr', { role: 'row' }, heads.map(head => el('th', { role: 'columnheader', scope: 'col' }, head)))),
    body);
  const made = rows(body, list.skills, skill => {
    const outcome = became.get(skill.path)?.outcome;
    return el('tr', { role: 'row' },
      el('th', { role: 'rowheader', scope: 'row' }, page.opener(skill.path, skill.key)),
      cell('Name', skill.name),
      cell('Description', skill.description || '–'),
      cell('Source', skill.source),
      cell('State',
        outcome === 'left-out' ? chip('left out', 'warning') : null,
        skill.pinned ? chip('pinned') : null,
        skill.state ? chip(skill.state) : null,
        chip(users(skill), skill.model ? '' : 'quiet')));
  });
  if (!list.skills.length) {
    return { told, made: [note(page.looked), ...notInUse(others, page)] };
  }
  return { told, made: [table, ...made.slice(1), ...notInUse(others, page)] };
}

function notInUse(others, page) {
  return others.length ? [el('h3', {}, 'Not in use'), ...outcomes(others, page)] : [];
}

function outcomes(all, page) {
  return rows(el('ul', { className: 'outcomes' }), all, one => el('li', {},
    el('div', { className: 'line' }, page.opener(one.path, page.below(one.path)), chip(OUTCOMES[one.outcome] ?? one.outcome, one.outcome),
      one.code && el('code', { className: 'faint' }, one.code)),
    el('p', {}, one.message),
    one.help && el('p', { className: 'faint' }, one.help)));
}

/** Every file seen, and what became of it. */
export function seen({ why }, page) {
  const kinds = Object.keys(OUTCOMES).map(kind => [kind, why.outcomes.filter(({ outcome }) => outcome === kind)]);
  const there = kinds.filter(([, all]) => all.length);
  return {
    told: there.map(([kind, all]) => `${number(all.length)} ${OUTCOMES[kind]}`).join(', ') || 'nothing seen',
    made: why.outcomes.length ? outcomes(why.outcomes, page) : [note(page.looked)],
  };
}

/** The section for the system prompt, and how much of the budget it takes. */
export function prompt({ prompt }, page) {
  if (prompt.error) return { told: '', made: [refused(prompt.error)] };
  const { cost, budget } = prompt;
  const share = budget ? cost / budget : 0;
  const ofBudget = budget === null ? `${count(cost, 'character')}, and no budget`
    : `${number(cost)} of ${count(budget, 'character')}${budget ? `, ${Math.floor(share * 100)} %` : ''}`;
  const fill = el('div', { className: share > 1 || (cost > 0 && budget === 0) ? 'fill over' : 'fill' });
  fill.style.width = `${Math.min(share, 1) * 100}%`;
  const bar = el('div', {
    className: 'meter', role: 'meter', 'aria-label': 'Cost of the budget', 'aria-valuemin': 0, 'aria-valuemax': budget ?? cost,
    'aria-valuenow': Math.min(cost, budget ?? cost), 'aria-valuetext': ofBudget,
  }, fill);
  const keys = (label, all) => all.length
    ? el('details', { className: 'keys', open: all.length <= 12 }, el('summary', {}, `${label} (${number(all.length)})`),
      rows(el('ul', { className: 'chips' }), all, key => el('li', {}, el('code', {}, key))))
    : null;
  return {
    told: `${count(prompt.shown.length, 'skill')} shown, ${number(prompt.shortened.length)} shortened, ${number(prompt.left_out.length)} left out`,
    made: [
      budget === null ? null : bar,
      el('p', { className: 'cost' }, ofBudget),
      prompt.note && note(prompt.note),
      keys('Left out', prompt.left_out),
      keys('Shortened', prompt.shortened),
      prompt.text ? block('The prompt', prompt.text) : note('The prompt is empty.'),
    ].filter(Boolean),
  };
}

/** What a message asks for, or what a typed command comes to. */
export function message({ match, invoke }) {
  if (invoke) return { told: '', made: invoked(invoke) };
  if (!match) return { told: '', made: [note('Type a message to see which skills it brings, or a command with its slash.')] };
  if (match.error) return { told: '', made: [refused(match.error)] };
  const { tier, keys, text } = match;
  return {
    told: `tier ${tier}, ${count(keys.length, 'skill')}`,
    made: [
      keys.length ? el('ul', { className: 'chips', 'aria-label': 'Skills that it brings' }, keys.map(key => el('li', {}, el('code', {}, key)))) : note('It brings no skill.'),
      text ? block('What goes with the message', text) : null,
    ].filter(Boolean),
  };
}

const SEVERITIES = ['error', 'warning', 'note'];

/** Findings by file, each with its line and the mended one. */
export async function findings({ list, check }, page) {
  const all = merged(check.findings ?? [], list.findings);
  const told = SEVERITIES.map(severity => all.filter(one => one.severity === severity).length)
    .map((sum, index) => sum ? count(sum, SEVERITIES[index]) : '').filter(Boolean).join(', ') || 'no findings';
  if (check.error) return { told, made: [refused(check.error)] };
  if (!all.length) return { told, made: [note(list.skills.length ? 'Nothing to find fault with.' : page.looked)] };
  const files = byFile(all);
  const paths = [...files.keys()];
  const lines = await page.lines(paths);
  const texts = new Map(paths.map((path, index) => [path, lines[index]]));
  return {
    told,
    made: rows(el('div', { className: 'findings' }), [...files], ([path, those]) => el('section', { 'aria-label': page.below(path) },
      el('h3', {}, page.opener(path, page.below(path))),
      those.map(one => finding(one, texts.get(path))))),
  };
}

// What a check says, and what only the discovery knows.
function merged(checked, found) {
  const place = one => JSON.stringify([one.path, one.code, one.line]);
  const known = new Set(checked.map(place));
  return [...checked, ...found.filter(one => !known.has(place(one)))];
}

function byFile(all) {
  const files = new Map(all.map(one => [one.path, []]));
  for (const one of all) files.get(one.path).push(one);
  return files;
}

function finding({ severity, code, line, column, message, help, fix }, lines) {
  const from = fix?.line ?? line;
  const last = Math.min(fix?.last ?? from, from + 19);
  const was = from === undefined ? [] : lines.slice(from - 1, last);
  const shown = (text, index) => numbered(from + index, text, from + index === line ? column : undefined);
  const mended = fix?.with.split('\n').map((text, index) => numbered(from + index, text));
  return el('article', { className: 'finding' },
    el('div', { className: 'line' }, chip(severity, severity), el('code', {}, code),
      el('span', { className: 'faint' }, line === undefined ? 'the whole file' : `line ${line}${column ? `, column ${column}` : ''}`)),
    el('p', {}, message),
    help && el('p', { className: 'faint' }, help),
    was.length || mended ? el('div', { className: mended ? 'lines two' : 'lines' },
      was.length ? el('figure', {}, el('figcaption', {}, 'As it is'), el('pre', { className: 'was' }, was.map(shown))) : null,
      mended ? el('figure', {}, el('figcaption', {}, 'Mended'), el('pre', { className: 'mended' }, mended)) : null) : null);
}

// A line with its number, and the character marked where the finding is.
function numbered(at, text, column) {
  const line = el('span', { className: 'source' }, el('span', { className: 'at', 'aria-hidden': true }, String(at)));
  const letters = [...text];
  if (column >= 1 && column <= letters.length) {
    line.append(el('span', {}, letters.slice(0, column - 1).join(''), el('mark', {}, letters[column - 1]), letters.slice(column).join('')));
  } else {
    line.append(el('span', {}, text));
  }
  return line;
}

/** One skill: what is known of it, what became of it, and what a load and an invocation give. */
export async function skill({ skill, why, load, invoke, line, found }, page) {
  const became = outcomes(why.outcomes, page);
  const made = [];
  if (skill) made.push(facts(skill));
  made.push(el('h3', {}, 'What became of it'), ...(why.outcomes.length ? became : [note('This dialect does not see it.')]));
  if (skill) made.push(el('h3', {}, 'On load'), ...loaded(load), el('h3', {}, 'On invoke'), ...typed(invoke, line));
  if (found.length) {
    const [lines] = await page.lines([found[0].path]);
    made.push(el('h3', {}, 'Findings'), ...found.map(one => finding(one, lines)));
  }
  return { told: skill ? skill.key : 'not in use', made };
}

function facts(skill) {
  const list = el('dl', {});
  const add = (label, value) => {
    const text = Array.isArray(value) ? value.join(', ') : value;
    if (text) list.append(el('dt', {}, label), el('dd', {}, text));
  };
  add('Name', skill.name);
  add('Description', skill.description);
  add('Source', `${skill.source} (${skill.scope})`);
  add('May use it', users(skill));
  add('State', skill.state);
  add('Commands', skill.commands.map(name => `/${name}`));
  add('Arguments', skill.argument_hint);
  add('Allowed tools', skill.allowed_tools);
  add('Context', skill.context);
  add('Permissions', skill.permissions);
  add('Files', Object.values(skill.resources).flat());
  if (Object.keys(skill.meta).length) add('Also', JSON.stringify(skill.meta));
  return list;
}

function loaded(load) {
  if (load.error) return [refused(load.error)];
  const more = [
    count([...load.text].length, 'character'),
    load.tools && `tools: ${load.tools.join(', ') || 'none'}`,
    load.children.length ? `children: ${load.children.join(', ')}` : '',
  ];
  return [el('p', { className: 'faint' }, more.filter(Boolean).join(' · ')), load.text ? block('What a load gives', load.text) : note('It has no text.')];
}

function typed(invoke, line) {
  return line ? [el('p', {}, el('code', {}, line)), ...invoked(invoke)] : [note('It has no command here.')];
}

function invoked(invoke) {
  if (invoke.error) return [refused(invoke.error)];
  const facts = [
    { inline: 'a message', fork: 'a fork, apart from the conversation', pending: 'commands to run first', message: 'no command: an ordinary message' }[invoke.kind] ?? invoke.kind,
    invoke.agent && `agent: ${invoke.agent}`,
    invoke.model && `model: ${invoke.model}`,
    invoke.tools && `tools: ${invoke.tools.join(', ') || 'none'}`,
  ];
  const made = [el('p', { className: 'faint' }, facts.filter(Boolean).join(' · '))];
  if (invoke.commands) made.push(block('Commands to run first', invoke.commands.join('\n')));
  const text = invoke.text ?? invoke.then?.text;
  if (text) made.push(block('What an invocation gives', text));
  return made;
}
