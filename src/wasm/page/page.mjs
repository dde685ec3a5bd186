// In: a folder of skills from the person at the page. Out: what a dialect, or two side by side, make of it, as the module says.
// Absent: any judgement of its own (the module, in `worker.mjs`), how answers look (`views.mjs`), how folders are read
// (`files.mjs`), and the network.

import { example } from './example.mjs';
import { chosen, dropped, isProject, written } from './files.mjs';
import { count, el, number } from './views.mjs';
import * as views from './views.mjs';

// Files go to the module's thread in parts, so that a key is answered between.
const MAX_FILES_A_CALL = 500;

// How long a field is left alone before what is in it counts.
const PAUSE_MS = 150;

// Fields of words that the host answers with.
const WORDS = ['programs', 'environment', 'permissions', 'enable', 'disable'];

const $ = id => document.getElementById(id);

const state = {
  files: new Map(),
  root: '/skills',
  // One a pane.
  dialects: [],
  isSide: false,
  tab: 'skills',
  // The path of the skill that is looked at, and the pane that it was opened from.
  opened: null,
  from: 0,
  // What is said of the files.
  told: '',
};
let tables = new Map();
// What is under way is given up when a later one begins: taking files, putting them, showing.
let taking = 0;
let placing = 0;
let turn = 0;

// The module, in a worker: a question goes out under a number, and its answer comes back under it. What starts from a blob is
// held by the policy of this page.
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

// Files and options, to the module.

async function take(gathering) {
  const mine = taking += 1;
  const { name, files, isCut } = await gathering;
  if (mine !== taking) return;
  if (!files.size) {
    tell('There is no file in it.', true);
    return;
  }
  state.files = files;
  state.opened = null;
  $('kind').value = isProject(files) ? 'project' : 'skills';
  $('root').value = `/${name}`;
  const all = [...files.values()].filter(file => file !== null);
  const bytes = all.reduce((sum, file) => sum + (file.size ?? file.length ?? 0), 0);
  const size = bytes < 10_000 ? count(bytes, 'byte') : `${number(Math.round(bytes / 1000))} kB`;
  const cut = isCut ? ' It has more than the page takes; the rest is not looked at.' : '';
  state.told = `${name}: ${count(all.length, 'file')}, ${size}.${cut}`;
  await place();
}

function tell(text, isRefusal = false) {
  $('told').textContent = text;
  $('told').classList.toggle('refused', isRefusal);
}

const at = rel => `${state.root}/${rel}`;
const below = path => path.startsWith(`${state.root}/`) ? path.slice(state.root.length + 1) : path;

// Puts the files where they are to stand.
async function place() {
  const root = $('root').value.trim().replace(/\/+$/, '');
  const isPath = /^(\/[^/]+)+$/.test(root) && !/\/\.\.?(\/|$)/.test(root);
  $('root').setAttribute('aria-invalid', !isPath);
  if (!isPath) {
    tell('The files stand at an absolute path without `.` or `..`, such as /skills.', true);
    return;
  }
  const opened = state.opened === null ? null : below(state.opened);
  state.root = root;
  state.opened = opened === null ? null : at(opened);
  const mine = placing += 1;
  const all = [[root, null], ...[...state.files].map(([rel, file]) => [at(rel), file])];
  for (let start = 0; start < all.length; start += MAX_FILES_A_CALL) {
    await engine('files', all.slice(start, start + MAX_FILES_A_CALL), start === 0);
    if (mine !== placing) return;
  }
  await settle();
  if (mine === placing) tell(state.told);
}

async function settle() {
  const { root } = state;
  const words = id => $(id).value.split(/\s+/).filter(Boolean);
  await engine('options', {
    places: { skills: { roots: [root], onlyRoots: true }, project: { project: root }, home: { home: root } }[$('kind').value],
    host: { trust: $('trust').checked, ...Object.fromEntries(WORDS.map(id => [id, words(id)])) },
  });
  await show();
}

// What is asked, by view.

const size = () => $('budget').value === '' ? {} : { budget: Math.min(Math.max(0, Math.trunc(Number($('budget').value))), Number.MAX_SAFE_INTEGER) };

async function asked(dialect) {
  const ask = async questions => {
    const answers = await engine('ask', dialect, Object.values(questions));
    const named = Object.fromEntries(Object.keys(questions).map((name, index) => [name, answers[index]]));
    // Without these there is nothing to show; the others may say no.
    const error = named.list?.error ?? named.why?.error;
    if (error) throw error;
    return named;
  };
  if (state.opened !== null) return views.skill(await askedOfSkill(ask), context(dialect));
  const questions = {
    skills: { list: ['list'], why: ['why', state.root, size()] },
    prompt: { prompt: ['prompt', size()] },
    message: message(),
    findings: { list: ['list'], check: ['check', []] },
    seen: { why: ['why', state.root, size()] },
  }[state.tab];
  return views[state.tab](await ask(questions), context(dialect));
}

// A line that names a command is invoked; what else is typed is matched.
function message() {
  const line = $('message').value;
  if (!line.trim()) return {};
  return line.trimStart().startsWith('/') ? { invoke: ['invoke', line] } : { match: ['match', line] };
}

async function askedOfSkill(ask) {
  const path = state.opened;
  const { list, why, check } = await ask({ list: ['list'], why: ['why', path, size()], check: ['check', [path]] });
  const skill = list.skills.find(skill => skill.path === path);
  const found = (check.findings ?? list.findings).filter(one => one.path === path);
  if (!skill) return { why, found };
  const args = $('args').value;
  const line = skill.commands.length ? `/${skill.commands[0]}${args && ` ${args}`}` : '';
  const { load, invoke } = await ask({ load: ['load', skill.key, { as: $('caller').value, args }], invoke: ['invoke', line] });
  return { skill, why, found, load, invoke, line };
}

// What a view needs of the page.
function context(dialect) {
  const sources = tables.get(dialect)?.sources?.map(({ path }) => path) ?? [];
  const where = $('kind').value === 'skills' ? state.root : sources.join(', ');
  return {
    below,
    looked: `No skills. ${dialect} looked in ${where}.`,
    lines: async paths => (await engine('texts', paths)).map(text => text.split(/\r\n|\n|\r/)),
    opener: (path, label) => path === state.opened ? el('strong', {}, label) : el('button', { type: 'button', className: 'opener', 'data-path': path }, label),
  };
}

// What is shown.

function pane(index) {
  const select = el('select', { id: `dialect-${index}` }, [...tables.keys()].map(name => el('option', { value: name }, name)));
  select.value = state.dialects[index];
  select.addEventListener('change', () => {
    state.dialects[index] = select.value;
    show();
  });
  return el('section', { className: 'pane', 'aria-label': index ? 'The other dialect' : 'The dialect' },
    el('div', { className: 'head' },
      el('label', { className: 'field' }, 'Dialect ', select),
      el('span', { className: 'sum', role: 'status' }),
      el('p', { className: 'about faint' })),
    el('div', { className: 'result' }));
}

async function show() {
  const mine = turn += 1;
  const isOpen = state.opened !== null;
  for (const tab of $('tabs').children) {
    const isIt = tab.dataset.tab === state.tab;
    tab.setAttribute('aria-selected', isIt);
    tab.tabIndex = isIt ? 0 : -1;
  }
  $('panes').setAttribute('aria-labelledby', `tab-${state.tab}`);
  $('panes').classList.toggle('two', state.isSide);
  $('side').setAttribute('aria-pressed', state.isSide);
  $('for-prompt').hidden = isOpen || ['findings', 'message'].includes(state.tab);
  $('for-message').hidden = isOpen || state.tab !== 'message';
  $('for-skill').hidden = !isOpen;
  $('opened').textContent = isOpen ? below(state.opened) : '';
  const panes = [...$('panes').children];
  panes.forEach((one, index) => {
    one.hidden = index > 0 && !state.isSide;
    // What a hidden pane waited for is not shown any more.
    if (one.hidden) one.removeAttribute('aria-busy');
  });
  await Promise.all(panes.filter(one => !one.hidden).map(async (one, index) => {
    one.setAttribute('aria-busy', true);
    const dialect = state.dialects[index];
    const { told, made } = await asked(dialect).catch(error =>
      ({ told: '', made: [el('p', { className: 'refused' }, `${error.message} (${error.code ?? 'failed'})`)] }));
    // What was asked before the last change is not shown any more.
    if (mine !== turn) return;
    one.querySelector('.about').textContent = tables.get(dialect)?.about ?? '';
    one.querySelector('.sum').textContent = told;
    // Rows that are drawn anew keep the focus.
    const focused = openers(one).find(opener => opener === document.activeElement)?.textContent;
    one.querySelector('.result').replaceChildren(...made);
    const again = openers(one).find(opener => opener.textContent === focused);
    rove(one, again);
    again?.focus();
    one.removeAttribute('aria-busy');
  }));
  const [text] = isOpen ? await engine('texts', [state.opened]) : [''];
  if (mine !== turn) return;
  $('file').hidden = !isOpen;
  $('file-text').textContent = text;
}

// The rows of a pane are one stop for the tab key: arrows go from row to row.
function rove(one, reached = one.querySelector('.opener')) {
  one.querySelectorAll('.opener').forEach(opener => { opener.tabIndex = opener === reached ? 0 : -1; });
}

const openers = one => [...one.querySelectorAll('.opener')];

async function open(path, from) {
  [state.opened, state.from] = [path, from];
  await show();
  $('back').focus();
  $('for-skill').scrollIntoView({ block: 'nearest' });
}

// Back to the rows, and to the one that was opened.
async function back() {
  const { opened, from } = state;
  state.opened = null;
  await show();
  const one = $('panes').children[from];
  const opener = openers(one).find(row => row.dataset.path === opened);
  if (opener) {
    rove(one, opener);
    opener.focus();
  } else {
    $(`tab-${state.tab}`).focus();
  }
}

// What a person does.

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
    tell(`${error.message} (${error.code ?? 'failed'})`, true);
  }
};

$('choose').addEventListener('click', () => $('folder').click());
$('folder').addEventListener('change', tried(async () => {
  const list = [...$('folder').files];
  // The same folder may be chosen again when it has changed.
  $('folder').value = '';
  if (list.length) await take(chosen(list));
}));
$('example').addEventListener('click', tried(() => take(example)));
$('write').addEventListener('click', () => $('writing').showModal());
$('writing').addEventListener('close', tried(async () => {
  if ($('writing').returnValue === 'take' && $('writing-text').value) await take(written($('writing-text').value, $('writing-name').value));
  $('writing').returnValue = '';
}));

$('root').addEventListener('change', tried(place));
for (const id of ['kind', 'trust']) $(id).addEventListener('change', tried(settle));
for (const id of WORDS) $(id).addEventListener('input', soon(tried(settle)));
for (const id of ['budget', 'args', 'message']) $(id).addEventListener('input', soon(show));
$('caller').addEventListener('change', show);
$('back').addEventListener('click', back);
$('side').addEventListener('click', () => {
  state.isSide = !state.isSide;
  show();
});

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

$('panes').addEventListener('click', ({ target }) => {
  const opener = target.closest('.opener');
  if (opener) open(opener.dataset.path, [...$('panes').children].indexOf(opener.closest('.pane')));
});
$('panes').addEventListener('keydown', event => {
  if (!event.target.matches('.opener')) return;
  const one = event.target.closest('.pane');
  const all = openers(one);
  const to = { ArrowUp: all.indexOf(event.target) - 1, ArrowDown: all.indexOf(event.target) + 1, Home: 0, End: all.length - 1 }[event.key];
  if (to === undefined || !all[to]) return;
  event.preventDefault();
  rove(one, all[to]);
  all[to].focus();
});
addEventListener('keydown', event => {
  if (event.key === 'Escape' && state.opened !== null && !$('writing').open && !event.defaultPrevented) back();
});

// Text may be dragged about on the page as anywhere.
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
  await take(dropped(event.dataTransfer, files => tell(`Reading… ${count(files, 'file')}`)));
}));

tried(async () => {
  const { version, dialects } = await engine('start');
  tables = new Map(dialects.map(table => [table.name, table]));
  $('version').textContent = `Version ${version}.`;
  state.dialects = [dialects.at(0).name, dialects.at(-1).name];
  $('panes').append(...state.dialects.map((_, index) => pane(index)));
  await take(example);
})();
