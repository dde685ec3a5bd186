// The page: shows what one dialect, or two side by side, find in a folder of skills that the user chose. The answers come from
// the module (`worker.mjs`); `views.mjs` and `pairs.mjs` display them, `files.mjs` reads folders, and `link.mjs` reads and
// writes the address. Nothing is sent over the network.

import { editor } from './editor.mjs';
import { copier, count, el, number, prose, refused, rows } from './elements.mjs';
import { example } from './example.mjs';
import { chosen, dropped, holders, isProject, opened, skillFiles, written } from './files.mjs';
import { bestKnownFirst, isAgent, sentence } from './found.mjs';
import { fragmentOf, stateOf } from './link.mjs';
import { isDifferent, paired, pairs, summary } from './pairs.mjs';
import * as views from './views.mjs';

// Files are posted to the worker in batches, so that the page stays responsive.
const MAX_FILES_A_CALL = 500;

// All dialects are compared at once for up to so many files, and for more when the matrix is shown: it takes seconds.
const MAX_AT_ONCE = 300;

// How long to wait after the last key before an input is used, and before the address is updated, in milliseconds.
const PAUSE_MS = 150;
const ADDRESS_PAUSE_MS = 300;

// Input fields with words for the host's answers.
const WORDS = ['programs', 'environment', 'permissions', 'enable', 'disable'];

const VIEWS = {
  matrix: { title: 'Matrix', lead: 'What each agent does with each skill, and why.' },
  skills: { title: 'Skills', lead: 'The skills in use, and why the others are not.' },
  search: { title: 'Search', lead: 'The skills that match some words or a task, best match first.' },
  prompt: { title: 'Prompt', lead: 'The list of skills that the model sees in its system prompt.' },
  message: { title: 'Message', lead: 'The skills that a message matches, or the result of a command.' },
  findings: { title: 'Findings', lead: 'Errors and warnings in the files, with the corrected line.' },
  seen: { title: 'Files seen', lead: 'What happened to every skill file, and by which rule.' },
};

const $ = id => document.getElementById(id);

const state = {
  files: new Map(),
  root: '/skills',
  // The second dialect is only used side by side.
  dialects: [],
  isSide: false,
  tab: 'matrix',
  // The path of the open skill.
  opened: null,
  // The cell of the matrix that is open: its dialect and path.
  cell: '',
  // The column that rows are sorted by, with a leading `-` for descending; '' for the dialect's order.
  order: '',
  // The pasted SKILL.md, if one is shown: `{text, folder}`.
  pasted: null,
  // Whether the files are the example, pasted, chosen as a folder or as files; and the paths of those that were edited here.
  kind: 'example',
  edited: new Set(),
  // The message about the files.
  told: '',
};
let tables = new Map();
// The matrix of all dialects, which is asked for once.
let whole;
// Until the first answer of the full module.
let isEarly = true;
// The last answers, to filter and sort.
let drawn = [];
// Counters that cancel an operation when a later one of its kind starts.
let taking = 0;
let placing = 0;
let turn = 0;
let writing = 0;

// The module runs in a worker; each request has a number, and its answer the same one. A worker that is started from a blob
// follows the content security policy of this page.
const engine = (() => {
  const code = `import ${JSON.stringify(new URL('worker.mjs', import.meta.url).href)};`;
  const worker = new Worker(URL.createObjectURL(new Blob([code], { type: 'text/javascript' })), { type: 'module' });
  const waiting = new Map();
  let last = 0;
  worker.addEventListener('message', ({ data: { id, answer, error } }) => {
    const asked = waiting.get(id);
    waiting.delete(id);
    if (error) asked?.reject(error); else asked?.resolve(answer);
  });
  worker.addEventListener('error', ({ message }) => {
    waiting.forEach(({ reject }) => reject({ code: 'failed', message: message ?? 'the worker cannot be started' }));
    waiting.clear();
  });
  return (call, ...args) => new Promise((resolve, reject) => {
    waiting.set(last += 1, { resolve, reject });
    worker.postMessage({ id: last, call, args });
  });
})();

// Sends files and options to the module.

async function take(gathering, skill, cell = '') {
  const mine = taking += 1;
  const { name, files, left, kind } = await gathering;
  if (mine !== taking) return;
  leftOut(left, kind);
  if (!files.size) {
    tell(left.length ? 'None of the files can be read. What was left out is listed below.' : 'The folder contains no files.', true);
    return;
  }
  const [[path, text]] = files;
  state.files = files;
  state.pasted = kind === 'pasted' ? { text, folder: path.split('/', 1)[0] } : null;
  state.opened = skill === undefined ? null : `/${name}/${skill}`;
  Object.assign(state, { root: `/${name}`, cell, kind, edited: new Set() });
  $('kind').value = isProject(files) ? 'project' : 'skills';
  $('root').value = state.root;
  state.told = kind === 'example'
    ? 'This is an example. Try your own:'
    : `${name}: ${sizeOf([...files.values()].filter(file => file !== null))}.`;
  await place();
}

function sizeOf(files) {
  const bytes = files.reduce((sum, file) => sum + (file.size ?? file.length ?? 0), 0);
  return `${count(files.length, 'file')}, ${bytes < 10_000 ? count(bytes, 'byte') : `${number(Math.round(bytes / 1000))} kB`}`;
}

// Lists the files that are left out. Browsers skip symbolic links silently, so there may have been some.
function leftOut(left, kind) {
  const links = { path: 'symbolic links', why: 'browsers do not show them; a skill behind a symbolic link is missing here, but the command line finds it' };
  const all = kind === 'folder' ? [...left, links] : left;
  $('left').hidden = !all.length;
  $('left').open = left.length > 0 && left.length <= 5;
  const summary = left.length ? `Left out: ${count(left.length, 'entry', 'entries')}` : 'Left out: symbolic links, if there are any';
  const row = ({ path, why }) => el('li', {}, path && el('code', {}, path), path && ': ', prose(why));
  $('left').replaceChildren(el('summary', {}, summary), ...rows(el('ul', {}), all, row));
}

function tell(text, isRefusal = false) {
  $('told').replaceChildren(...prose(text));
  $('told').classList.toggle('refused', isRefusal);
}

function notice(text) {
  $('notice').hidden = !text;
  $('notice').replaceChildren(...prose(text));
}

const at = rel => `${state.root}/${rel}`;
const below = path => path.startsWith(`${state.root}/`) ? path.slice(state.root.length + 1) : path;

// Places the files at the chosen path.
async function place() {
  const root = $('root').value.trim().replace(/\/+$/, '');
  const isPath = /^(\/[^/]+)+$/.test(root) && !/\/\.\.?(\/|$)/.test(root);
  $('root').setAttribute('aria-invalid', !isPath);
  if (!isPath) {
    tell('Expected an absolute path without `.` or `..`, such as `/skills`.', true);
    return;
  }
  const skill = state.opened === null ? null : below(state.opened);
  state.root = root;
  state.opened = skill === null ? null : at(skill);
  const mine = placing += 1;
  busy();
  const all = [[root, null], ...[...state.files].map(([rel, file]) => [at(rel), file])];
  for (let start = 0; start < all.length; start += MAX_FILES_A_CALL) {
    await engine('files', all.slice(start, start + MAX_FILES_A_CALL), start === 0);
    if (mine !== placing) return;
  }
  tell(`${toldOfEdits()}${state.told}`);
  await settle();
}

async function settle() {
  const { root } = state;
  busy();
  whole = undefined;
  const sum = skillFiles(state.files).length;
  const isCompared = sum <= MAX_AT_ONCE || isMatrix();
  $('found').textContent = `${count(sum, 'SKILL.md file')} found${isCompared ? `; comparing ${[...tables.values()].filter(isAgent).length} agents…` : '.'}`;
  const words = id => $(id).value.split(/\s+/).filter(Boolean);
  await engine('options', {
    places: { skills: { roots: [root], onlyRoots: true }, project: { project: root }, home: { home: root } }[$('kind').value],
    host: { trust: $('trust').checked, ...Object.fromEntries(WORDS.map(id => [id, words(id)])) },
  });
  await show();
  if (isCompared) conclude();
}

// Says what was found. The answer for older files or options counts no more.
async function conclude() {
  const mine = matrixOfAll();
  const matrix = await mine.catch(error => ({ error }));
  if (mine === whole) $('found').textContent = matrix.error ? '' : sentence(matrix, tables, state.kind === 'example' ? 'these' : 'your');
}

// Takes over the text of a file that was edited here.
async function edited(path, text) {
  const name = below(path);
  if (text === state.files.get(name)) return;
  state.files = new Map(state.files).set(name, text);
  state.edited.add(name);
  if (state.pasted) state.pasted = { ...state.pasted, text };
  await place();
}

const toldOfEdits = () => state.edited.size ? `Edited on this page: ${[...state.edited].map(name => `\`${name}\``).join(', ')}. ` : '';

// The requests of each view.

const hasBudget = dialect => tables.get(dialect)?.prompt.budget !== null;

function size(dialect) {
  const asked = $('budget').value;
  if (asked === '' || !hasBudget(dialect)) return {};
  return { budget: Math.min(Math.max(0, Math.trunc(Number(asked))), Number.MAX_SAFE_INTEGER) };
}

async function asked(dialect) {
  const ask = async questions => {
    const answers = await engine('ask', dialect, Object.values(questions));
    const named = Object.fromEntries(Object.keys(questions).map((name, index) => [name, answers[index]]));
    // Without these there is nothing to show; the others may fail.
    const error = named.list?.error ?? named.why?.error;
    if (error) throw error;
    // Ask about the chosen folder, and show the files in it.
    if (named.why) named.why = { ...named.why, outcomes: named.why.outcomes.filter(({ path }) => path !== state.root) };
    return named;
  };
  if (state.opened !== null) return views.skill(await askedOfSkill(ask), context(dialect));
  if (isMatrix() && !state.isSide) {
    conclude();
    return views.matrix({ matrix: await matrixOfAll() }, context(dialect));
  }
  const questions = {
    matrix: { matrix: ['matrix', { dialects: state.dialects }] },
    skills: { list: ['list'], why: ['why', state.root], check: ['check', []] },
    search: search(),
    prompt: { prompt: ['prompt', size(dialect)], list: ['list'] },
    message: message(tables.get(dialect)),
    findings: { list: ['list'], check: ['check', []] },
    seen: { why: ['why', state.root, size(dialect)] },
  }[state.tab];
  return views[state.tab](await ask(questions), context(dialect));
}

function matrixOfAll() {
  whole ??= engine('ask', tables.keys().next().value, [['matrix', { dialects: bestKnownFirst(tables) }]]).then(([matrix]) => matrix);
  return whole;
}

// A line that starts with a command is invoked; other text is matched if the dialect has triggers.
function message(table) {
  const line = $('message').value;
  const commands = table.slash ? { complete: ['complete'] } : {};
  if (line.trimStart().startsWith('/')) return { ...commands, invoke: ['invoke', line] };
  return line.trim() && table.matching ? { ...commands, match: ['match', line] } : commands;
}

function search() {
  const text = $('search').value;
  return text.trim() ? { search: ['search', text, { as: $('caller').value, body: $('bodies').checked, limit: views.MAX_FOUND }] } : {};
}

async function askedOfSkill(ask) {
  const path = state.opened;
  const { list, why, check } = await ask({ list: ['list'], why: ['why', path], check: ['check', [path]] });
  const skill = list.skills.find(skill => skill.path === path);
  const found = (check.findings ?? list.findings).filter(one => one.path === path);
  if (!skill) return { why, found };
  const args = $('args').value;
  const line = skill.commands.length ? `/${skill.commands[0]}${args && ` ${args}`}` : '';
  const { load, invoke } = await ask({ load: ['load', skill.key, { as: $('caller').value, args }], invoke: ['invoke', line] });
  return { skill, why, found, load, invoke, line };
}

// What views need from the page.
function context(dialect) {
  const table = tables.get(dialect);
  const where = $('kind').value === 'skills' ? state.root : (table.sources ?? []).map(({ path }) => path).join(', ');
  return {
    dialect,
    table,
    below,
    lookedByAll: `No skills: no dialect found a SKILL.md.${elsewhere()}`,
    looked: `No skills. \`${dialect}\` searched ${where}.${elsewhere()}`,
    get order() { return state.order; },
    get cell() { return state.cell; },
    turn(cell) {
      state.cell = cell;
      remember();
    },
    get hasBodies() { return $('bodies').checked; },
    get isFiltered() { return wordsOfFilter().length > 0; },
    lines: async paths => (await engine('texts', paths)).map(text => text.split(/\r\n|\n|\r/)),
    opener,
  };
}

// The matrix has a column for each dialect; two of them are compared in it, and not side by side.
const isMatrix = () => state.tab === 'matrix' && state.opened === null;
const isPaired = () => state.isSide && !isMatrix();

// Where skill files are, if none were found where the dialect searches.
function elsewhere() {
  const { sum, folders } = holders(state.files);
  const named = folders.filter(Boolean).slice(0, 3).map(folder => `\`${folder}\``).join(', ');
  return named ? ` There ${sum === 1 ? 'is 1 SKILL.md' : `are ${number(sum)} SKILL.md files`} in ${named}: choose that folder, or another way to read this one under Options.` : '';
}

const opener = (path, label) => path === state.opened ? el('strong', {}, label) : el('button', { type: 'button', className: 'opener', 'data-path': path }, label);

// Shows the current view.

async function show() {
  const mine = turn += 1;
  controls();
  busy();
  if (isEarly) preview(mine);
  const dialects = state.dialects.slice(0, isPaired() ? 2 : 1);
  const made = await Promise.all(dialects.map(dialect => asked(dialect).catch(error => ({ told: '', items: [], error }))));
  isEarly = false;
  // Answers to outdated requests are ignored.
  if (mine !== turn) return;
  const [text] = state.opened === null ? [''] : await engine('texts', [state.opened]);
  if (mine !== turn) return;
  drawn = made;
  $('file').hidden = state.opened === null;
  $('file-text').textContent = text;
  draw();
  $('pane').removeAttribute('aria-busy');
}

// Names the skills until the full module is there to say what becomes of them.
async function preview(mine) {
  const early = await engine('early', state.dialects[0]).catch(() => null);
  if (!early || mine !== turn || !isEarly) return;
  const names = new Map(early.skills.map(({ path, name }) => [path, name]));
  const entry = path => el('li', {}, names.get(at(path)), ' ', el('span', { className: 'faint' }, path));
  $('result').replaceChildren(...rows(el('ul', { className: 'outcomes', 'aria-label': 'SKILL.md files' }), skillFiles(state.files).sort(compared), entry));
}

// The rows are those of before until `show` has drawn new ones.
const busy = () => $('pane').setAttribute('aria-busy', true);

// The titles and input fields above the rows.
function controls() {
  const isOpen = state.opened !== null;
  const dialects = state.dialects.slice(0, state.isSide ? 2 : 1);
  const isList = !isOpen && ['matrix', 'skills', 'findings', 'seen'].includes(state.tab);
  for (const tab of $('tabs').children) {
    const isIt = tab.dataset.tab === state.tab;
    tab.setAttribute('aria-selected', isIt);
    tab.tabIndex = isIt ? 0 : -1;
  }
  state.dialects.forEach((dialect, index) => { $(`dialect-${index}`).value = dialect; });
  $('pane').setAttribute('aria-labelledby', `tab-${state.tab}`);
  const where = isMatrix() && !state.isSide ? 'all dialects' : dialects.join(' and ');
  $('what').textContent = `${isOpen ? below(state.opened) : VIEWS[state.tab].title} in ${where}`;
  $('lead').textContent = isOpen ? 'Its fields, what happened to it, and what loading or invoking it returns.' : VIEWS[state.tab].lead;
  $('about').textContent = state.isSide || isMatrix() ? '' : tables.get(state.dialects[0])?.about ?? '';
  $('side').setAttribute('aria-pressed', state.isSide);
  $('side').textContent = isMatrix() ? 'Compare two' : 'Side by side';
  const there = {
    'one-of': !isMatrix() || state.isSide,
    other: state.isSide,
    back: isOpen,
    edit: isOpen && skillFiles(state.files).includes(below(state.opened)),
    'for-caller': isOpen || state.tab === 'search',
    'for-args': isOpen,
    'for-search': !isOpen && state.tab === 'search',
    'for-bodies': !isOpen && state.tab === 'search',
    'for-message': !isOpen && state.tab === 'message',
    'for-budget': !isOpen && ['prompt', 'seen'].includes(state.tab) && dialects.some(hasBudget),
    'for-filter': isList,
    'for-order': isList && !isMatrix(),
    'for-differing': isMatrix() || state.isSide && (isOpen || state.tab !== 'message'),
  };
  for (const [id, isThere] of Object.entries(there)) $(id).hidden = !isThere;
}

const wordsOfFilter = () => $('filter').value.toLowerCase().split(/\s+/).filter(Boolean);

// Draws the same answers again. While other answers are awaited, those at hand are of another view, and `show` draws.
const redraw = () => $('pane').hasAttribute('aria-busy') || draw();

// Draws the answers, filtered and sorted.
function draw() {
  const focused = $('result').contains(document.activeElement) ? document.activeElement : null;
  const { orders } = drawn[0];
  orderedBy(orders ?? []);
  const words = orders ? wordsOfFilter() : [];
  const matches = item => words.every(word => (item.text ?? '').toLowerCase().includes(word));
  const failed = drawn.filter(view => view.error).map(view => refused({ code: 'failed', ...view.error }));
  let told;
  let made;
  if (isPaired() && !drawn.every(view => view.isEmpty)) {
    const all = paired(drawn[0].items, drawn[1].items);
    const isShown = pair => [pair.a, pair.b].some(item => item && matches(item)) && (!$('differing').checked || isDifferent(pair));
    const shown = inOrder(all.filter(isShown), pair => pair.any);
    const sides = state.dialects.map((name, index) => ({ name, about: tables.get(name)?.about ?? '', view: drawn[index] }));
    const compared = all.filter(({ any }) => any.fields.length);
    told = [compared.length ? summary(compared) : '', shown.length < all.length ? `${number(shown.length)} of ${number(all.length)} shown` : ''];
    made = [...failed, ...pairs(sides, shown, { opener, isFile: item => state.opened === null && item.id.startsWith('/') })];
  } else {
    const [view] = drawn;
    const isShown = item => matches(item) && !(isMatrix() && $('differing').checked && !item.isDifferent);
    const shown = inOrder(view.items.filter(isShown), item => item);
    told = [view.told, shown.length < view.items.length ? `${number(shown.length)} of ${number(view.items.length)} shown` : ''];
    made = view.error ? failed : view.single(shown);
  }
  $('sum').textContent = told.filter(Boolean).join('; ');
  $('result').replaceChildren(...made.flat(9).filter(Boolean));
  $('shared').textContent = '';
  // Keep the focus on the same element.
  const names = ['path', 'order', 'found', 'cell'].filter(name => focused?.dataset[name] !== undefined);
  const same = [...$('result').querySelectorAll('button')].find(one => names.length && names.every(name => one.dataset[name] === focused.dataset[name]));
  rove(same?.matches('.opener') ? same : undefined);
  roveCells(same?.matches('.cell') ? same : undefined);
  same?.focus({ preventScroll: true });
  remember();
}

// Fills the list of sort orders of this view.
function orderedBy(orders) {
  const options = [['', 'default'], ...orders.flatMap(name => [[name, name], [`-${name}`, `${name}, reversed`]])];
  if ($('order').dataset.of !== orders.join()) {
    $('order').dataset.of = orders.join();
    $('order').replaceChildren(...options.map(([value, label]) => el('option', { value }, label)));
  }
  $('order').value = options.some(([value]) => value === state.order) ? state.order : '';
}

const collator = new Intl.Collator('en', { numeric: true });
const compared = (a, b) => typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(a ?? '', b ?? '');

function inOrder(all, itemOf) {
  const by = $('order').value;
  const name = by.replace('-', '');
  // Side by side, rows are sorted by file, as each dialect has an order of its own.
  const usual = item => isPaired() && item.orders ? item.label : item.at;
  const of = one => by ? itemOf(one).orders?.[name] : usual(itemOf(one));
  const sorted = all.map((one, index) => ({ one, index })).sort((a, b) => compared(of(a.one), of(b.one)) || a.index - b.index).map(({ one }) => one);
  return by.startsWith('-') ? sorted.reverse() : sorted;
}

// The rows are a single tab stop; arrow keys move between them.
function rove(reached) {
  const all = openers();
  all.forEach(one => { one.tabIndex = one === (reached ?? all[0]) ? 0 : -1; });
}

const openers = () => [...$('result').querySelectorAll('.opener')];

// So are the cells of the matrix.
function roveCells(reached) {
  const all = cells();
  all.forEach(one => { one.tabIndex = one === (reached ?? all[0]) ? 0 : -1; });
}

const cells = (within = $('result')) => [...within.querySelectorAll('.cell')].filter(cell => cell.checkVisibility());

// The cell that an arrow key leads to.
function cellBeside(cell, key) {
  const row = cell.closest('tr');
  const inRow = cells(row);
  const column = inRow.indexOf(cell);
  const lines = [...row.parentElement.querySelectorAll('tr:has(.cell)')];
  const line = lines[lines.indexOf(row) + ({ ArrowUp: -1, ArrowDown: 1 }[key] ?? 0)];
  if (key === 'ArrowUp' || key === 'ArrowDown') return line && (cells(line)[column] ?? cells(line).at(-1));
  return inRow[{ ArrowLeft: column - 1, ArrowRight: column + 1, Home: 0, End: inRow.length - 1 }[key] ?? -1];
}

async function open(path) {
  state.opened = path;
  await show();
  $('back').focus();
  $('pane').scrollIntoView({ block: 'nearest' });
}

// Returns to the rows, and to the row that was open.
async function back() {
  const path = state.opened;
  state.opened = null;
  await show();
  const one = openers().find(row => row.dataset.path === path);
  if (one) rove(one);
  (one ?? $(`tab-${state.tab}`)).focus();
}

// Writes the state to the address.

function remember() {
  const mine = writing += 1;
  setTimeout(() => mine === writing && write(), ADDRESS_PAUSE_MS);
}

// Resolves to whether the address has everything that is shown.
async function write() {
  const mine = writing += 1;
  const { fragment, isShort } = await fragmentOf({
    dialect: state.dialects[0] === tables.keys().next().value ? '' : state.dialects[0],
    beside: state.isSide ? state.dialects[1] : '',
    view: state.tab === 'matrix' ? '' : state.tab,
    filter: $('filter').value,
    order: state.order,
    differing: (state.isSide || isMatrix()) && $('differing').checked ? '1' : '',
    skill: state.opened === null ? '' : below(state.opened),
    cell: isMatrix() ? state.cell : '',
    search: $('search').value,
    bodies: $('bodies').checked ? '' : '0',
    message: $('message').value,
    budget: $('budget').value,
    folder: state.pasted?.folder ?? '',
    text: state.pasted?.text,
  });
  if (mine === writing) {
    if (isShort) notice('The pasted text is too long for the address: a copied link does not include it.');
    history.replaceState(null, '', fragment ? `#${fragment}` : location.pathname + location.search);
  }
  return state.pasted ? !isShort : state.kind === 'example' && !state.edited.size;
}

// Copies the address.
async function share() {
  const isAll = await write();
  try {
    await navigator.clipboard.writeText(location.href);
    $('shared').textContent = isAll ? 'The link is copied. It opens what you see here.' : 'The link is copied. It opens this view without your files.';
  } catch {
    $('shared').textContent = 'The browser does not allow copying here: copy the address of the page instead.';
  }
}

const ANY = () => true;
const isBelow = path => path.split('/').every(name => !['', '.', '..'].includes(name));

// The valid values of a fragment.
const known = {
  dialect: name => tables.has(name),
  beside: name => tables.has(name),
  view: name => Object.hasOwn(VIEWS, name),
  filter: ANY,
  order: name => /^-?(key|name|source|state|findings|file|severity|outcome)$/.test(name),
  differing: value => value === '1',
  skill: isBelow,
  cell: value => tables.has(value.split(' ', 1)[0]) && isBelow(value.slice(value.indexOf(' ') + 1)),
  search: ANY,
  bodies: value => value === '0' || value === '1',
  message: ANY,
  budget: value => /^\d{1,9}$/.test(value),
  folder: ANY,
};

async function restore(fragment, isFirst) {
  let asked = {};
  notice('');
  try {
    asked = await stateOf(fragment, known);
  } catch (error) {
    notice(`The part of the address after \`#\` is ignored: ${error.message}.`);
    if (!isFirst) return;
  }
  const { dialect, beside, view, filter, order, differing, skill, cell, search, bodies, message, budget, folder, text } = asked;
  state.dialects = [dialect ?? tables.keys().next().value, beside ?? state.dialects[1]];
  state.isSide = beside !== undefined;
  state.tab = view ?? 'matrix';
  state.order = order ?? '';
  $('differing').checked = differing !== undefined;
  $('bodies').checked = bodies !== '0';
  for (const [id, value] of Object.entries({ filter, search, message, budget })) $(id).value = value ?? '';
  if (text !== undefined) {
    await take(written(text, folder ?? ''), skill, cell);
  } else if (isFirst) {
    await take(example, skill, cell);
  } else {
    state.opened = skill === undefined ? null : at(skill);
    state.cell = cell ?? '';
    await show();
  }
  const chosenCell = $('result').querySelector('.cell[aria-expanded="true"]');
  if (chosenCell) {
    roveCells(chosenCell);
    chosenCell.closest('tr').scrollIntoView({ block: 'center' });
  }
}

// Event listeners.

function soon(work) {
  let timer;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(work, PAUSE_MS);
  };
}

const tried = work => async event => {
  try {
    await work(event);
  } catch (error) {
    $('pane').removeAttribute('aria-busy');
    tell(`${error.message} (${error.code ?? 'failed'})`, true);
  }
};

const reading = files => tell(`Reading… ${count(files, 'file')}`);

// Allow the same folder or file to be chosen again.
function picked(input) {
  const list = [...input.files];
  input.value = '';
  return list;
}

function taken(gathering) {
  notice('');
  $('writing').close();
  return take(gathering);
}

$('choose').addEventListener('click', () => $('folder').click());
$('folder').addEventListener('change', tried(async () => {
  const list = picked($('folder'));
  if (list.length) await taken(chosen(list));
}));
$('one').addEventListener('click', () => $('file-one').click());
$('file-one').addEventListener('change', tried(async () => {
  const list = picked($('file-one'));
  if (list.length) await taken(opened(list, reading));
}));
$('example').addEventListener('click', tried(() => taken(example)));

const { open: openEditor, ended } = editor(async (path, text, isAlone) => {
  const [dialect] = state.dialects;
  return { dialect, tables, ...await engine('draft', dialect, path, text, isAlone) };
});
$('write').addEventListener('click', () => openEditor({
  title: 'Paste a SKILL.md',
  isNew: true,
  path: (text, name) => `/skills/${written(text, name).files.keys().next().value}`,
  take: (text, name) => taken(written(text, name)),
}));
$('edit').addEventListener('click', tried(async () => {
  const path = state.opened;
  openEditor({ title: `Edit ${below(path)}`, isNew: false, text: await engine('source', path), path: () => path, take: text => edited(path, text) });
}));
$('writing').addEventListener('close', tried(ended));
$('about-it').addEventListener('click', () => $('install').showModal());
$('share').addEventListener('click', tried(share));

$('root').addEventListener('change', tried(place));
for (const id of ['kind', 'trust']) $(id).addEventListener('change', tried(settle));
for (const id of WORDS) $(id).addEventListener('input', soon(tried(settle)));
for (const id of ['budget', 'args', 'message', 'search']) $(id).addEventListener('input', soon(show));
$('filter').addEventListener('input', soon(redraw));
$('differing').addEventListener('change', redraw);
$('order').addEventListener('change', () => {
  state.order = $('order').value;
  redraw();
});
for (const id of ['caller', 'bodies']) $(id).addEventListener('change', show);
$('back').addEventListener('click', back);
$('side').addEventListener('click', () => {
  state.isSide = !state.isSide;
  const [one, other] = state.dialects;
  if (one === other) state.dialects[1] = [...tables.keys()].find(name => name !== one);
  show();
});
for (const index of [0, 1]) {
  $(`dialect-${index}`).addEventListener('change', ({ target }) => {
    state.dialects[index] = target.value;
    show();
  });
}

function turnTo(tab) {
  state.tab = tab.dataset.tab;
  state.opened = null;
  tab.focus();
  return show();
}
$('tabs').addEventListener('click', ({ target }) => target.dataset.tab && turnTo(target));
$('tabs').addEventListener('keydown', event => {
  const tabs = [...$('tabs').children];
  const to = { ArrowLeft: -1, ArrowRight: 1, Home: -tabs.indexOf(event.target), End: tabs.length - 1 - tabs.indexOf(event.target) }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  turnTo(tabs[(tabs.indexOf(event.target) + to + tabs.length) % tabs.length]);
});

$('result').addEventListener('click', ({ target }) => {
  const sorter = target.closest('.sort');
  if (sorter) {
    const { order } = sorter.dataset;
    state.order = { [order]: `-${order}`, [`-${order}`]: '' }[state.order] ?? order;
    redraw();
    return;
  }
  const command = target.closest('.try');
  if (command) {
    $('message').value = command.dataset.line;
    $('message').focus();
    show();
    return;
  }
  const opener = target.closest('.opener, .in-one');
  if (!opener) return;
  if (opener.matches('.in-one')) {
    state.dialects[0] = opener.dataset.dialect;
    state.isSide = false;
  }
  open(opener.dataset.path);
});
$('result').addEventListener('keydown', event => {
  if (event.target.matches('.cell')) {
    const to = cellBeside(event.target, event.key);
    if (!to) return;
    event.preventDefault();
    roveCells(to);
    to.focus();
    return;
  }
  if (!event.target.matches('.opener')) return;
  const all = openers();
  const to = { ArrowUp: all.indexOf(event.target) - 1, ArrowDown: all.indexOf(event.target) + 1, Home: 0, End: all.length - 1 }[event.key];
  if (to === undefined || !all[to]) return;
  event.preventDefault();
  rove(all[to]);
  all[to].focus();
});
addEventListener('keydown', event => {
  if (event.key === 'Escape' && state.opened !== null && !document.querySelector('dialog[open]') && !event.defaultPrevented) back();
});
// Until this is called, what was shown before may have been written to the address again.
addEventListener('hashchange', tried(event => restore(new URL(event.newURL).hash.slice(1), false)));

// Dragged text is left to the browser.
const hasFiles = event => event.dataTransfer?.types.includes('Files');
let depth = 0;
const dragged = delta => event => {
  if (!hasFiles(event)) return;
  depth += delta;
  event.preventDefault();
  document.body.classList.toggle('dragged', depth > 0);
};
addEventListener('dragenter', dragged(1));
addEventListener('dragleave', dragged(-1));
addEventListener('dragover', event => hasFiles(event) && event.preventDefault());
addEventListener('drop', tried(async event => {
  if (!hasFiles(event)) return;
  event.preventDefault();
  depth = 0;
  document.body.classList.remove('dragged');
  await taken(dropped(event.dataTransfer, reading));
}));

tried(async () => {
  const { version, dialects } = await engine('start');
  tables = new Map(dialects.map(table => [table.name, table]));
  state.dialects = [dialects.at(0).name, dialects.at(-1).name];
  for (const index of [0, 1]) $(`dialect-${index}`).append(...dialects.map(({ name }) => el('option', { value: name }, name)));
  $('file').querySelector('.top').append(copier('the file', () => $('file-text').textContent, $('file-text')));
  $('version').textContent = `Version ${version}.`;
  await restore(location.hash.slice(1), true);
})();
