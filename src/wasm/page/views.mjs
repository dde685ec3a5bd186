// Turns the module's answers for one dialect into views, `{told, items, single, …}`: items that can be filtered, sorted and
// compared with those of another dialect, and how they are displayed. The page (`page.mjs`) gets the answers and handles
// buttons; `pairs.mjs` puts two views side by side.
//
// An item has an `id` that is the same in every dialect, a `label`, the `text` that is filtered, its position `at` in the
// dialect's order, other sort keys in `orders`, `fields` (name and text) to compare, and `half(differing)`, its elements for
// one of two columns: `differing` has the names of the fields that differ, and where their words differ.

import { block, chip, count, el, marked, note, number, prose, refused, rows } from './elements.mjs';
import { SEVERITIES, finding, foundIn, weight } from './findings.mjs';
import { STATES, grid } from './matrix.mjs';
import { hits, table } from './table.mjs';

/** How many skills a search shows at most. */
export const MAX_FOUND = 50;

const OUTCOMES = {
  'in-use': 'in use',
  hidden: 'hidden from the model',
  'left-out': 'left out of the prompt',
  shadowed: 'shadowed',
  skipped: 'skipped',
};

const nothing = (items, page, otherwise) => note(page.isFiltered ? 'Nothing matches the filter.' : otherwise);

function users(skill) {
  if (skill.model && skill.user) return 'model and user';
  return skill.model ? 'model' : skill.user ? 'user' : 'nobody';
}

const ORDERS = ['key', 'name', 'source', 'state', 'findings'];

/** The skills (key, name, description, source, state, findings), then the files that are not skills, and why. */
export function skills({ list, why, check }, page) {
  const became = new Map(why.outcomes.map(one => [one.path, one]));
  const found = byFile(merged(check.findings ?? [], list.findings));
  const others = why.outcomes.filter(({ outcome }) => outcome === 'skipped' || outcome === 'shadowed');
  const used = list.skills.map((skill, at) => inUse(skill, at, became.get(skill.path)?.outcome, found.get(skill.path) ?? [], page));
  const sum = [...found.values()].flat().length;
  return {
    told: `${count(list.skills.length, 'skill')}, ${number(others.length)} not in use, ${count(sum, 'finding')}`,
    items: [...used, ...others.map((one, at) => outcome(one, used.length + at, page, found.get(one.path)))],
    orders: ORDERS,
    absent: 'not seen',
    single: items => {
      const [rest, shown] = [items.filter(item => !item.cells), items.filter(item => item.cells)];
      const top = shown.length ? table(shown, used, ORDERS, page) : rest.length ? [] : [nothing(items, page, page.looked)];
      return [...top, ...rest.length ? [el('h3', {}, 'Not in use'), ...outcomes(rest)] : []];
    },
  };
}

function inUse(skill, at, became, findings, page) {
  const { key, name, path, source } = skill;
  const description = skill.description || '–';
  const chips = [
    became === 'left-out' && ['left out', 'warning'],
    skill.pinned && ['pinned', ''],
    skill.state && [skill.state, ''],
    [users(skill), skill.model ? '' : 'quiet'],
    skill.repaired && ['repaired', 'warning'],
    skill.withheld_from && [`withheld from the ${skill.withheld_from.join(' and the ')} here`, 'warning'],
  ].filter(Boolean);
  const state = chips.map(([text]) => text).join(', ');
  return {
    id: path,
    label: page.below(path),
    text: [key, name, description, source, state, path, ...findings.map(one => one.code)].join('\n'),
    at,
    orders: { key, name, source, state, findings: weight(findings) },
    isUsed: true,
    fields: [['outcome', 'in use'], ['key', key], ['name', name], ['description', description], ['state', state], ['findings', findings.map(one => one.code).sort().join(', ')]],
    skill,
    cells: { Key: key, Name: name, Description: description, Source: source, State: state },
    chips,
    findings,
    half: differing => {
      const { button, details } = foundIn(findings, page);
      const is = (field, ...children) => el('span', { className: differing.has(field) ? 'differs' : '' }, children);
      return [
        el('div', { className: 'line' }, is('key', el('strong', {}, key)), name === key ? null : is('name', name), is('state', chips.map(([text, kind]) => chip(text, kind))), is('findings', button)),
        el('p', {}, is('description', marked(description, differing.get('description') ?? []))),
        details,
      ];
    },
  };
}

function outcome(one, at, page, findings = []) {
  const { path, code, message, help } = one;
  const kind = OUTCOMES[one.outcome] ?? one.outcome;
  const told = () => [el('p', {}, prose(message)), help && el('p', { className: 'faint' }, prose(help))];
  const chips = () => [chip(kind, one.outcome), code && el('code', { className: 'faint' }, code)];
  return {
    id: path,
    label: page.below(path),
    text: [path, kind, code, message].join('\n'),
    at,
    orders: { key: page.below(path), file: page.below(path), outcome: Object.keys(OUTCOMES).indexOf(one.outcome), findings: weight(findings) },
    isUsed: !['shadowed', 'skipped'].includes(one.outcome),
    fields: [['outcome', kind], ['reason', code ?? '']],
    half: differing => [el('div', { className: 'line' }, el('span', { className: differing.has('outcome') || differing.has('reason') ? 'differs' : '' }, chips())), told()],
    entry: () => el('li', {}, el('div', { className: 'line' }, page.opener(path, page.below(path)), chips()), told()),
  };
}

const outcomes = items => rows(el('ul', { className: 'outcomes' }), items, item => item.entry());

/** The skills that fit a request, the best first. `search` is absent if nothing is looked for. */
export function search({ search }, page) {
  if (search?.error) return { told: '', items: [], single: () => [refused(search.error)] };
  const items = (search?.hits ?? []).map((hit, at) => found(hit, at, page));
  const nothing = page.hasBodies ? 'No skill matches. Try other words.' : 'No skill matches. Search their texts too, or try other words.';
  const none = note(search ? nothing : 'Type some words, or describe a task, to find the matching skills.');
  return {
    told: !search ? '' : items.length < MAX_FOUND ? count(items.length, 'skill') : `the ${number(MAX_FOUND)} best matches`,
    items,
    // If no dialect finds anything, one sentence says so instead of two columns.
    isEmpty: !items.length,
    absent: 'not found',
    single: () => items.length ? hits(items) : [none],
  };
}

function found({ key, path, description, matched, marks }, at, page) {
  // If only the name as a whole is equal, no word of it is.
  const fields = (matched.length ? matched : ['name']).map(field => field.replaceAll('_', ' ')).join(', ');
  const rank = number(at + 1);
  const text = () => description ? marked(description, marks) : '–';
  return {
    id: path,
    label: page.below(path),
    at,
    fields: [['rank', rank], ['key', key], ['matched', fields], ['description', description]],
    cells: { Rank: () => rank, Key: () => page.opener(path, key), Matched: () => fields, Description: text },
    half: differing => {
      const is = (field, ...children) => el('span', { className: differing.has(field) ? 'differs' : '' }, children);
      return [
        el('div', { className: 'line' }, is('rank', rank), is('key', el('strong', {}, key)), is('matched', fields)),
        el('p', {}, is('description', text())),
      ];
    },
  };
}

/** What each dialect does with each skill. */
export function matrix({ matrix }, page) {
  if (matrix.error) return { told: '', items: [], single: () => [refused(matrix.error)] };
  const { dialects } = matrix;
  const items = matrix.rows.map((row, at) => {
    const cells = dialects.map(dialect => row.cells[dialect]);
    return {
      id: row.path,
      name: row.name,
      label: page.below(row.path),
      text: [row.name, row.path, ...cells.flatMap(({ state, code, rule }) => [STATES[state].word, code, rule])].filter(Boolean).join('\n'),
      at,
      orders: { name: row.name, file: page.below(row.path) },
      isDifferent: cells.some(({ state }) => state !== cells[0].state),
      cells,
    };
  });
  const different = items.filter(item => item.isDifferent).length;
  // Where the search for skills that no dialect reads was cut short.
  const cuts = (matrix.findings ?? []).map(({ message }) => note(message));
  return {
    told: `${count(items.length, 'file')}, ${number(different)} treated differently`,
    items,
    orders: ['name', 'file'],
    single: shown => shown.length ? [...grid(shown, dialects, page), ...cuts] : [note(items.length ? page.isFiltered ? 'Nothing matches the filter.' : 'All dialects do the same with each skill.' : page.lookedByAll)],
  };
}

/** Every file that was seen, and what happened to it. */
export function seen({ why }, page) {
  const kinds = Object.keys(OUTCOMES).map(kind => [kind, why.outcomes.filter(one => one.outcome === kind)]);
  const there = kinds.filter(([, all]) => all.length);
  return {
    told: there.map(([kind, all]) => `${number(all.length)} ${OUTCOMES[kind]}`).join(', ') || 'nothing seen',
    items: why.outcomes.map((one, at) => outcome(one, at, page)),
    orders: ['file', 'outcome'],
    absent: 'not seen',
    single: items => items.length ? outcomes(items) : [nothing(items, page, page.looked)],
  };
}

/** The section for the system prompt, and its share of the budget. */
export function prompt({ prompt, list }, page) {
  if (prompt.error) return { told: '', items: [], single: () => [refused(prompt.error)] };
  const kept = { 'left out': new Set(prompt.left_out), shortened: new Set(prompt.shortened), shown: new Set(prompt.shown) };
  const becomes = skill => Object.keys(kept).find(kind => kept[kind].has(skill.key)) ?? 'not shown';
  const cost = () => costs(prompt);
  const text = marks => [prompt.text ? block('The prompt', prompt.text, marks) : note('The prompt is empty.')];
  const keys = (label, all) => all.length
    ? el('details', { className: 'keys', open: all.length <= 12 }, el('summary', {}, `${label} (${number(all.length)})`),
      rows(el('ul', { className: 'chips' }), all, key => el('li', {}, el('code', {}, key))))
    : null;
  return {
    told: `${count(prompt.shown.length, 'skill')} shown, ${number(prompt.shortened.length)} shortened, ${number(prompt.left_out.length)} left out`,
    items: [
      { id: 'cost', label: 'Cost', at: '', fields: [], half: cost },
      { id: 'text', label: 'Text', at: '', fields: [['', prompt.text]], half: differing => text(differing.get('')) },
      ...(list.skills ?? []).map(skill => ({
        id: skill.path,
        label: page.below(skill.path),
        isFile: true,
        at: page.below(skill.path),
        fields: [['in the prompt', becomes(skill)]],
        half: differing => [el('span', { className: differing.size ? 'differs' : '' }, chip(becomes(skill), { shown: 'in-use', 'not shown': 'quiet' }[becomes(skill)] ?? 'left-out'))],
      })),
    ],
    absent: 'not in use',
    single: () => [...cost(), keys('Left out', prompt.left_out), keys('Shortened', prompt.shortened), ...text()].filter(Boolean),
  };
}

function costs({ cost, budget, note: told }) {
  const share = budget ? cost / budget : 0;
  const ofBudget = budget === null ? `${count(cost, 'character')}, no budget`
    : `${number(cost)} of ${count(budget, 'character')}${budget ? `, ${Math.floor(share * 100)} %` : ''}`;
  const fill = el('div', { className: share > 1 || (cost > 0 && budget === 0) ? 'fill over' : 'fill' });
  fill.style.width = `${Math.min(share, 1) * 100}%`;
  const bar = el('div', {
    className: 'meter', role: 'meter', 'aria-label': 'Cost of the budget', 'aria-valuemin': 0, 'aria-valuemax': budget ?? cost,
    'aria-valuenow': Math.min(cost, budget ?? cost), 'aria-valuetext': ofBudget,
  }, fill);
  return [budget === null ? null : bar, el('p', { className: 'cost' }, ofBudget), told && note(told)].filter(Boolean);
}

/** The skills that a message matches, or the result of a typed command, and all commands. */
export function message({ match, invoke, complete }, page) {
  const { told, made } = answered(match, invoke, page);
  const commands = complete?.commands ?? [];
  const all = () => invoke && invoke.kind !== 'message' ? made() : [...made(), ...typeable(commands)];
  return { told, items: [{ id: 'message', label: 'Result', at: 0, fields: [], half: all }], single: all };
}

function answered(match, invoke, { dialect, table: { matching, slash } }) {
  if (invoke) return { told: '', made: () => invoked(invoke) };
  if (!matching) {
    const why = `\`${dialect}\` has no triggers: a message does not load skills by itself. The model chooses from the prompt${slash ? ', or the user types a command' : ''}.`;
    return { told: 'no triggers', made: () => [note(why)] };
  }
  if (!match) return { told: '', made: () => [note('Type a message to see which skills it matches.')] };
  if (match.error) return { told: '', made: () => [refused(match.error)] };
  const { tier, keys, text } = match;
  return {
    told: `tier ${tier}, ${count(keys.length, 'skill')}`,
    made: () => [
      keys.length ? el('ul', { className: 'chips', 'aria-label': 'Matching skills' }, keys.map(key => el('li', {}, el('code', {}, key)))) : note('No skill matches.'),
      text ? block('Text added to the message', text) : null,
    ].filter(Boolean),
  };
}

// The commands, each a button that tries it.
function typeable(commands) {
  if (!commands.length) return [];
  const button = ({ name, hint, description }) => el('li', {},
    el('button', { type: 'button', className: 'try', title: description, 'data-line': `/${name}` }, `/${name}`, hint && el('span', { className: 'faint' }, ` ${hint}`)));
  return [el('h3', {}, 'Commands to try'), ...rows(el('ul', { className: 'chips' }), commands, button)];
}

/** Findings by file, each with its line and the corrected line. */
export async function findings({ list, check }, page) {
  const all = merged(check.findings ?? [], list.findings);
  const told = SEVERITIES.map(severity => all.filter(one => one.severity === severity).length)
    .map((sum, index) => sum ? count(sum, SEVERITIES[index]) : '').filter(Boolean).join(', ') || 'no findings';
  if (check.error) return { told, items: [], single: () => [refused(check.error)] };
  const files = byFile(all);
  const paths = [...files.keys()];
  const lines = await page.lines(paths);
  const shown = (those, at) => those.map(one => finding(one, lines[at]));
  return {
    told,
    items: [...files].map(([path, those], at) => ({
      id: path,
      label: page.below(path),
      text: [path, ...those.flatMap(one => [one.code, one.severity, one.message])].join('\n'),
      at,
      orders: { file: page.below(path), severity: weight(those) },
      fields: [['findings', those.map(one => `${one.severity} ${one.code} ${one.line}`).sort().join(', ')]],
      half: () => shown(those, at),
      entry: () => el('section', { 'aria-label': page.below(path) }, el('h3', {}, page.opener(path, page.below(path))), shown(those, at)),
    })),
    orders: ['file', 'severity'],
    absent: 'no findings',
    single: items => items.length
      ? rows(el('div', { className: 'findings' }), items, item => item.entry())
      : [nothing(items, page, list.skills.length ? 'No findings.' : page.looked)],
  };
}

// The findings of the check, and those that only discovery has.
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

/** One skill: its fields, what happened to it, and the results of loading and invoking it. */
export async function skill({ skill, why, load, invoke, line, found }, page) {
  const lines = found.length ? (await page.lines([found[0].path]))[0] : [];
  const became = why.outcomes.map((one, at) => outcome(one, at, page));
  const kinds = why.outcomes.map(one => OUTCOMES[one.outcome] ?? one.outcome).join(', ');
  const part = (label, text, made) => ({ id: label, label, fields: text === undefined ? [] : [['', text]], half: made });
  const parts = [part('What happened to it', kinds, () => became.length ? became.map(item => item.half(new Map())) : [note('This dialect does not find it.')])];
  if (skill) {
    parts.push(part('On load', load.text ?? load.error?.code, differing => loaded(load, differing.get(''))));
    parts.push(part('On invoke', invoke.text ?? invoke.error?.code, differing => typed(invoke, line, differing.get(''))));
  }
  if (found.length) parts.push(part('Findings', found.map(one => one.code).join(', '), () => found.map(one => finding(one, lines))));
  const known = skill ? facts(skill).map(([label, text]) => part(label, text, differing => [el('span', { className: differing.size ? 'differs' : '' }, marked(text, differing.get('') ?? []))])) : [];
  return {
    told: skill ? skill.key : 'not in use',
    // Both columns use the same order.
    items: [...known, ...parts].map(item => ({ ...item, at: PARTS.indexOf(item.label) })),
    absent: '–',
    single: () => [
      skill ? el('dl', {}, known.map(({ label, half }) => [el('dt', {}, label), el('dd', {}, half(new Map()))])) : null,
      ...parts.flatMap(({ label, half }) => [el('h3', {}, label), ...half(new Map())]),
    ].filter(Boolean),
  };
}

const PARTS = ['Name', 'Description', 'Source', 'May use it', 'State', 'Commands', 'Arguments', 'Allowed tools', 'Context', 'Permissions', 'Files', 'Also',
  'What happened to it', 'On load', 'On invoke', 'Findings'];

function facts(skill) {
  const all = {
    Name: skill.name,
    Description: skill.description,
    Source: `${skill.source} (${skill.scope})`,
    'May use it': users(skill),
    State: skill.state,
    Commands: skill.commands.map(name => `/${name}`),
    Arguments: skill.argument_hint,
    'Allowed tools': skill.allowed_tools,
    Context: skill.context,
    Permissions: skill.permissions,
    Files: Object.values(skill.resources).flat(),
    Also: Object.keys(skill.meta).length ? JSON.stringify(skill.meta) : '',
  };
  return Object.entries(all).map(([label, value]) => [label, Array.isArray(value) ? value.join(', ') : value]).filter(([, text]) => text);
}

function loaded(load, marks) {
  if (load.error) return [refused(load.error)];
  const more = [
    count([...load.text].length, 'character'),
    load.tools && `tools: ${load.tools.join(', ') || 'none'}`,
    load.children.length ? `children: ${load.children.join(', ')}` : '',
  ];
  return [el('p', { className: 'faint' }, more.filter(Boolean).join(' · ')), load.text ? block('Loaded text', load.text, marks) : note('There is no text.')];
}

function typed(invoke, line, marks) {
  return line ? [el('p', {}, el('code', { className: 'code' }, line)), ...invoked(invoke, marks)] : [note('There is no command for it.')];
}

function invoked(invoke, marks) {
  if (invoke.error) return [refused(invoke.error)];
  const facts = [
    { inline: 'a message', fork: 'a fork (a separate task)', pending: 'commands to run first', message: 'an ordinary message, not a command' }[invoke.kind] ?? invoke.kind,
    invoke.agent && `agent: ${invoke.agent}`,
    invoke.model && `model: ${invoke.model}`,
    invoke.tools && `tools: ${invoke.tools.join(', ') || 'none'}`,
  ];
  const made = [el('p', { className: 'faint' }, facts.filter(Boolean).join(' · '))];
  if (invoke.commands) made.push(block('Commands to run first', invoke.commands.join('\n')));
  const text = invoke.text ?? invoke.then?.text;
  if (text) made.push(block('Invocation', text, marks));
  return made;
}
