// drive.mjs SITE RUNTIMES CHROMIUM SKILLTREE [SHOTS]: drives the page in SITE with a headless browser, and holds what it shows against
// what the command line prints for the same tree. RUNTIMES has playwright-core and
// axe-core. Prints a line a case and the sum; pictures
// go into SHOTS. Every request but those to this machine is blocked, and is a failure.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, extname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { deflateRawSync } from 'node:zlib';
import { file, zip } from './zips.mjs';

const [site, runtimes, executablePath, skilltree, shots] = process.argv.slice(2).map(given => resolve(given));
const require = createRequire(join(runtimes, 'package.json'));
const { chromium } = require('playwright-core');
const testdata = resolve(import.meta.dirname, '../../testdata');
const WAIT_MS = 30_000;
// The most processor time that one task of the page's main thread may take; until it ends, no key is answered. The time
// by the clock would depend on how busy the machine is.
const MAX_TASK_MS = 3_000;

const TYPES = { '.html': 'text/html; charset=utf-8', '.css': 'text/css', '.mjs': 'text/javascript', '.svg': 'image/svg+xml', '.png': 'image/png', '.wasm': 'application/wasm' };
const asked = [];
// The page again, without the slim module.
const ALONE = '/alone/';
let alone;
// The full module is held back until this is resolved.
let gate = Promise.resolve();
const server = createServer(async (request, response) => {
  const path = request.url.replace(/\/$/, '/index.html');
  asked.push(path);
  try {
    const bytes = await readFile(path.startsWith(ALONE) ? join(alone, path.slice(ALONE.length)) : join(site, path));
    if (path === '/skilltree.wasm') await gate;
    response.writeHead(200, { 'content-type': TYPES[extname(path)] ?? 'application/octet-stream' }).end(bytes);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise(done => server.listen(0, '127.0.0.1', done));
const origin = `http://127.0.0.1:${server.address().port}`;

const folder = await mkdtemp(join(tmpdir(), 'skilltree-page-'));
const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
const browser = await chromium.launch({ executablePath, headless: true, args: flags });

// A tree on the disk: texts by path.
async function tree(name, files) {
  const root = join(folder, name);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return root;
}

const skills = join(folder, 'one-tree', 'skills');
await cp(join(testdata, 'one-tree', 'skills'), skills, { recursive: true });
const project = await tree('project', {
  '.agents/skills/brew/SKILL.md': '---\nname: brew\ndescription: Another way to brew.\n---\nDifferently.\n',
  '.agents/skills/now/SKILL.md': '---\nname: now\ndescription: What is there now.\n---\nIt is !`date`.\n',
  'node_modules/left/SKILL.md': '---\nname: left\ndescription: Never entered.\n---\n',
});
await cp(skills, join(project, '.claude', 'skills'), { recursive: true });
const nowhere = await tree('nowhere', { 'README.md': 'Nothing.\n' });

// What the command line prints.
function printed(dialect, where, ...args) {
  const line = ['--dialect', dialect, '--json', ...where, ...args];
  const { HOME, ...env } = process.env;
  return new Promise((done, fail) => execFile(skilltree, line, { env, cwd: nowhere, maxBuffer: 2 ** 26 }, (error, out) => {
    try {
      done(JSON.parse(out));
    } catch {
      fail(new Error(`${line.join(' ')}: ${error}`));
    }
  }));
}
const roots = root => ['--root', root, '--only-roots', '--project', nowhere];

// A page that is ready, and what went wrong on it. Unless an address is given, it shows this view.
async function opened({ fragment = '', axe = false, first = null, view = 'skills', isWaiting = true, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, ...options });
  context.setDefaultTimeout(WAIT_MS);
  // The policy of the page has no room for scripts of others, so it is there before the page is.
  if (axe) await context.addInitScript({ path: require.resolve('axe-core/axe.min.js') });
  if (first) await context.addInitScript(first);
  const page = await context.newPage();
  const wrong = [];
  const outside = [];
  // The browser fetches the icon when it has nothing better to do, which may be when there is no network any more.
  page.on('console', message => ['error', 'warning'].includes(message.type()) && !message.location().url.endsWith('/icon.svg') && wrong.push(`${message.text()} ${message.location().url}`));
  page.on('pageerror', error => wrong.push(String(error)));
  await context.route('**', route => {
    const { hostname } = new URL(route.request().url());
    if (hostname === '127.0.0.1') return route.continue();
    outside.push(route.request().url());
    return route.abort();
  });
  await page.goto(`${origin}/${fragment}`);
  const close = async () => {
    await context.close();
    assert.deepEqual({ wrong, outside }, { wrong: [], outside: [] });
  };
  if (!isWaiting) return { page, close, context };
  // Without the module there is nothing to wait for.
  await page.waitForFunction(() => document.querySelector('#version').textContent || document.querySelector('#told.refused'));
  assert.match(await page.textContent('#version'), /^Version/, await page.textContent('#told'));
  await quiet(page);
  if (!fragment && view !== 'matrix') {
    await page.click(`#tab-${view}`);
    await quiet(page);
  }
  return { page, close, context };
}

const quiet = page => page.waitForFunction(() =>
  document.querySelector('#result')?.childElementCount && !document.querySelector('[aria-busy]') && !/^(Reading|Loading)/.test(document.querySelector('#told').textContent));

// Polls until the page shows what is expected, or says how it differs.
async function shows(page, read, expected, label) {
  const end = Date.now() + WAIT_MS;
  let found;
  do {
    try {
      // What is read may not be there yet.
      found = await page.evaluate(read).catch(String);
      assert.deepEqual(found, expected);
      return;
    } catch {
      await new Promise(done => setTimeout(done, 30));
    }
  } while (Date.now() < end);
  assert.deepEqual(found, expected, label);
}

async function choose(page, root) {
  await page.setInputFiles('#folder', root);
  await shows(page, () => document.querySelector('#root').value, `/${root.split('/').pop()}`, 'the folder is taken');
  await quiet(page);
  await stand(page, root);
}

// Puts the files where they are on the disk, so that paths are the same.
async function stand(page, root) {
  await page.evaluate(() => { document.querySelector('#how').open = true; });
  await page.fill('#root', root);
  await page.press('#root', 'Tab');
  await quiet(page);
}

async function typed(page, line) {
  await page.fill('#message', line);
  await page.waitForSelector('#result :is(pre, .refused, .note)');
}

async function searched(page, words) {
  await quiet(page);
  await page.fill('#search', words);
  await page.waitForSelector('#sum:not(:empty)');
}

// What a pane shows, by view; run in the page.
const READ = {
  matrix: () => [...document.querySelectorAll('.matrix tbody tr:not(.more-of-it)')].map(row => [
    row.querySelector('.opener').textContent, row.querySelector('.opener').dataset.path, ...[...row.querySelectorAll('.cell')].map(cell => cell.getAttribute('aria-label'))]),
  skills: () => [...document.querySelectorAll('.skills tbody tr:not(.more-of-it)')].map(row => {
    const key = row.querySelector('th').textContent;
    const column = name => row.querySelector(`[data-label="${name}"]`) ?? document.querySelector(`.same [data-column="${name}"]`);
    const name = column('Name').textContent;
    const state = [...column('State').querySelectorAll('.chip')].map(chip => chip.textContent).join(', ') || column('State').textContent;
    return [key, name === 'the same as the key' ? key : name, column('Description').textContent, column('Source').textContent, state];
  }),
  search: () => [...document.querySelectorAll('.hits tbody tr')].map(row => {
    const texts = selector => [...row.querySelectorAll(selector)].map(one => one.textContent);
    const [description] = texts('[data-label="Description"]');
    return [...texts('[data-label="Rank"]'), row.querySelector('.opener').dataset.path, ...texts('th'), ...texts('[data-label="Matched"]'), description, texts('mark')];
  }),
  prompt: () => [document.querySelector('[aria-label="The prompt"]')?.textContent ?? '', document.querySelector('.cost').textContent],
  seen: () => [...document.querySelectorAll('.outcomes li')].map(item => [
    item.querySelector('.opener').dataset.path, item.querySelector('.chip').textContent, ...[...item.querySelectorAll('p')].map(text => text.textContent)]),
  findings: () => [...document.querySelectorAll('.findings section')].flatMap(section => [...section.querySelectorAll('.finding')].map(finding => [
    section.querySelector('.opener').dataset.path,
    ...[...finding.querySelectorAll('.chip, .line > code, p')].map(text => text.textContent),
    [...finding.querySelectorAll('.mended .source > :last-child')].map(line => line.textContent).join('\n'),
  ])),
  message: () => [
    [...document.querySelectorAll('[aria-label="Matching skills"] li')].map(key => key.textContent),
    [...document.querySelectorAll('#result pre')].map(text => text.textContent).sort(),
    [...document.querySelectorAll('#result > .refused')].map(refused => refused.textContent),
  ],
  skill: () => ['Loaded text', 'Invocation', 'Commands to run first'].map(label => document.querySelector(`[aria-label="${label}"]`)?.textContent ?? null)
    .concat([[...document.querySelectorAll('#result > .refused')].map(refused => refused.textContent)]),
};

// A message as it is shown: what stands between backticks is code.
// The command line completes what the library says with its own command, which the page has none of.
const said = message => plain(message.replace(/; `skilltree state .*` makes it active$/, ''));
const plain = text => text.replace(/(`+)([^`]+)\1/g, '$2');

const OUTCOMES = { 'in-use': 'in use', hidden: 'hidden from the model', 'left-out': 'left out of the prompt', shadowed: 'shadowed', skipped: 'skipped' };
const STATES = { 'in-use': '✓ in use', 'name-only': '~ by name only', hidden: '– hidden', shadowed: '= shadowed', skipped: '! skipped', 'left-out': '× left out', unseen: '· not looked at' };
const cellOf = ({ state, repaired }) => repaired ? `${STATES[state].replace(' ', '* ')}, only thanks to a repair` : STATES[state];
const number = value => value.toLocaleString('en');
const characters = value => `${number(value)} ${value === 1 ? 'character' : 'characters'}`;

function costOf({ cost, budget }) {
  return budget === null ? `${characters(cost)}, no budget` : `${number(cost)} of ${characters(budget)}${budget ? `, ${Math.floor(cost / budget * 100)} %` : ''}`;
}

function rowOf({ key, name, description, source, path, pinned, state, model, user, repaired }, outcomes) {
  const isLeftOut = outcomes.some(one => one.path === path && one.outcome === 'left-out');
  const users = model && user ? 'model and user' : model ? 'model' : user ? 'user' : 'nobody';
  return [key, name, description || '–', source, [isLeftOut && 'left out', pinned && 'pinned', state, users, repaired && 'repaired'].filter(Boolean).join(', ')];
}

// The page in one dialect, against the command line.
async function same(page, dialect, root, where) {
  await page.selectOption('#dialect-0', dialect);
  const list = await printed(dialect, where, 'list');
  await page.click('#tab-skills');
  const { outcomes } = await printed(dialect, where, 'why', root);
  await shows(page, READ.skills, list.skills.map(skill => rowOf(skill, outcomes)), `${dialect}: list`);

  await page.click('#tab-prompt');
  await quiet(page);
  const hasBudget = await page.isVisible('#budget');
  for (const budget of hasBudget ? ['', '600'] : ['']) {
    if (hasBudget) await page.fill('#budget', budget);
    const prompt = await printed(dialect, where, 'prompt', ...(budget && ['--budget', budget]));
    await shows(page, READ.prompt, [prompt.text, costOf(prompt)], `${dialect}: prompt ${budget}`);
    const why = await printed(dialect, where, 'why', root, ...(budget && ['--budget', budget]));
    await page.click('#tab-seen');
    const advice = help => plain(/`skilltree state .*` makes it active/.test(help) ? 'make it active for the model to see it' : help);
    const outcomes = why.outcomes.map(({ path, outcome, message, help }) => [path, OUTCOMES[outcome], plain(message), ...(help ? [advice(help)] : [])]);
    await shows(page, READ.seen, outcomes, `${dialect}: why ${budget}`);
    await page.click('#tab-prompt');
  }
  if (hasBudget) await page.fill('#budget', '');

  await page.click('#tab-message');
  for (const line of ['please brew a hot drink', '/brew green tea', '/nothing of this name']) {
    await page.fill('#message', line);
    const told = await printed(dialect, where, line.startsWith('/') ? 'invoke' : 'match', line);
    const texts = [told.text, told.then?.text, told.commands?.join('\n')].filter(Boolean);
    // The command line says with an error, and its exit code, that a line is an ordinary message, or that there are no triggers.
    const isRefused = told.error && told.kind !== 'message' && told.error.code !== 'not-in-dialect';
    const refused = isRefused ? [`${said(told.error.message)} ${told.error.code}`] : [];
    await shows(page, READ.message, [told.keys ?? [], isRefused ? [] : texts.sort(), refused], `${dialect}: ${line}`);
  }
  await page.fill('#message', '');

  await page.click('#tab-findings');
  const checked = (await printed(dialect, where, 'check')).findings;
  const place = one => [one.path, one.code, one.line].join();
  const all = [...checked, ...list.findings.filter(one => !checked.some(known => place(known) === place(one)))];
  const files = [...new Set(all.map(({ path }) => path))];
  const findings = files.flatMap(path => all.filter(one => one.path === path))
    .map(({ path, severity, code, message, help, fix }) => [path, severity, code, plain(message), ...(help ? [plain(help)] : []), fix?.with ?? '']);
  await shows(page, READ.findings, findings, `${dialect}: findings`);

  for (const skill of list.skills) {
    await page.click('#tab-skills');
    await page.locator(`.skills .opener[data-path="${skill.path}"]`).click();
    await page.fill('#args', 'green tea');
    for (const caller of ['model', 'user']) {
      await page.selectOption('#caller', caller);
      const load = await printed(dialect, where, 'load', skill.key, '--as', caller, '--args', 'green tea');
      const invoke = skill.commands.length ? await printed(dialect, where, 'invoke', `/${skill.commands[0]} green tea`) : {};
      const refused = [load, invoke].filter(({ error }) => error).map(({ error }) => `${said(error.message)} ${error.code}`);
      const expected = [load.text || null, (invoke.text ?? invoke.then?.text) || null, invoke.commands?.join('\n') ?? null, refused];
      await shows(page, READ.skill, expected, `${dialect}: ${skill.key} for the ${caller}`);
    }
    await page.click('#back');
  }
  return list.skills.length;
}

const cases = {
  async 'a chosen folder is seen in ten dialects as the command line sees it'() {
    const { page, close } = await opened();
    await choose(page, skills);
    const known = await page.locator('#dialect-0 option').allTextContents();
    // The page knows nothing of the tables, so these stand for all: each has something that the others have not.
    const dialects = ['agentskills', 'claude', 'codex', 'opencode', 'hermes', 'sven', 'agent-base', 'gencode', 'pegasus', 'daycare'];
    assert.deepEqual(dialects.filter(dialect => !known.includes(dialect)), []);
    let compared = 0;
    for (const dialect of dialects) compared += await same(page, dialect, skills, roots(skills));
    assert.ok(compared > 20, `${compared} skills`);
    await close();
  },

  async 'the first view is the matrix that the command line prints, and a cell says why'() {
    const { page, close } = await opened({ view: 'matrix' });
    assert.equal(await page.getAttribute('#tab-matrix', 'aria-selected'), 'true');
    // The best-known first.
    const best = ['agentskills', 'claude', 'cursor', 'codex', 'copilot', 'gemini', 'copilot-cli', 'opencode', 'goose'];
    const sorted = dialects => dialects.length < 3 ? dialects : [...best, ...dialects.filter(dialect => !best.includes(dialect))];
    const rowsOf = ({ dialects, rows }) => rows.map(({ name, path, cells }) => [name, path, ...sorted(dialects).map(dialect => `${dialect}: ${cellOf(cells[dialect])}`)]);
    await choose(page, skills);
    const given = await printed('agentskills', roots(skills), 'matrix', '--dialects', 'all');
    await shows(page, READ.matrix, rowsOf(given), 'a folder');
    await page.click('#side');
    await page.selectOption('#dialect-0', 'agentskills');
    await page.selectOption('#dialect-1', 'claude');
    const two = ['matrix', '--dialects', 'agentskills,claude'];
    const [both, some] = [await printed('agentskills', roots(skills), ...two), await printed('agentskills', roots(skills), ...two, '--diff')];
    assert.ok(some.rows.length > 0 && some.rows.length < both.rows.length, `${some.rows.length} of ${both.rows.length} differ`);
    await shows(page, READ.matrix, rowsOf(both), 'two dialects');
    await page.check('#differing');
    await shows(page, READ.matrix, rowsOf(some), 'differences alone');
    await page.uncheck('#differing');
    await page.click('#side');
    await choose(page, project);
    await page.selectOption('#kind', 'project');
    const where = ['--project', project];
    const all = await printed('agentskills', where, 'matrix', '--dialects', 'all');
    assert.ok(all.dialects.length >= 7 && all.rows.length > 4, JSON.stringify(all));
    await shows(page, READ.matrix, rowsOf(all), 'a project');
    assert.deepEqual(await page.locator('.matrix thead th').allTextContents(), ['Skill', ...sorted(all.dialects)]);
    await quiet(page);
    // The reason for each state.
    const reason = () => {
      const [row] = document.querySelectorAll('.more-of-it:not([hidden])');
      return row ? [row.querySelector('strong').textContent, ...[...row.querySelectorAll('code')].slice(0, 1).map(code => code.textContent), ...[...row.querySelectorAll('p:not(:has(button))')].map(text => text.textContent)] : null;
    };
    const seen = new Set();
    for (const { path, cells } of all.rows) {
      for (const [dialect, { state, code, rule, message, help }] of Object.entries(cells)) {
        if (seen.has(state)) continue;
        seen.add(state);
        const button = page.locator(`.cell[data-cell="${dialect} ${path}"]`);
        await button.click();
        const first = code ?? rule ?? message.match(/`([^`]+)`/)?.[1];
        await shows(page, reason, [dialect, ...(first ? [first] : []), plain(message), ...(help ? [plain(help)] : [])], `${dialect} ${path}`);
        assert.equal(await button.getAttribute('aria-expanded'), 'true');
        await button.click();
        await shows(page, reason, null, 'closed again');
      }
    }
    assert.ok(seen.size > 2, [...seen].join());
    // From a cell to the skill in its dialect, and back.
    const used = all.rows.find(({ cells }) => cells.claude.state === 'in-use');
    await page.locator(`.cell[data-cell="claude ${used.path}"]`).click();
    await page.click('.in-one');
    await shows(page, () => document.querySelector('#what').textContent, `${used.path.slice(project.length + 1)} in claude`, 'the skill');
    await page.click('#back');
    await shows(page, READ.matrix, rowsOf(all), 'back at the matrix');
    // Two dialects alone.
    await page.click('#side');
    await page.selectOption('#dialect-0', 'sven');
    await page.selectOption('#dialect-1', 'claude');
    await shows(page, READ.matrix, rowsOf(await printed('agentskills', where, 'matrix', '--dialects', 'sven,claude')), 'two of them');
    assert.deepEqual(await page.locator('.matrix thead th').allTextContents(), ['Skill', 'sven', 'claude']);
    // All cells are one stop of the tab key; the arrow keys move between them.
    await page.locator('.cell').first().focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    const [, second] = all.rows;
    assert.equal(await page.evaluate(() => document.activeElement.dataset.cell), `claude ${second.path}`);
    assert.equal(await page.locator('.cell[tabindex="0"]').count(), 1);
    await page.keyboard.press('Enter');
    await shows(page, () => document.querySelector('.more-of-it:not([hidden]) strong')?.textContent, 'claude', 'by the keyboard');
    await close();
  },

  async 'a search finds what the command line finds, and leads to the skill'() {
    const { page, close } = await opened({ view: 'search' });
    await choose(page, skills);
    const text = () => document.querySelector('#result').textContent;
    await shows(page, text, 'Type some words, or describe a task, to find the matching skills.', 'nothing is looked for');
    let compared = 0;
    for (const dialect of ['agentskills', 'agent-base', 'claude']) {
      await page.selectOption('#dialect-0', dialect);
      for (const words of ['brewing a hot drnk', 'LEAVES', 'warm the pot', 'by-hand', 'spaceship']) {
        await page.fill('#search', words);
        for (const caller of ['model', 'user']) {
          await page.selectOption('#caller', caller);
          for (const bodies of [false, true]) {
            await page.setChecked('#bodies', bodies);
            const { hits } = await printed(dialect, roots(skills), 'search', words, '--as', caller, ...(bodies ? [] : ['--no-body']));
            const expected = hits.map(({ key, path, description, matched, marks }, at) =>
              [String(at + 1), path, key, matched.join(', ') || 'name', description || '–', marks.map(([start, end]) => [...description].slice(start, end).join(''))]);
            compared += hits.length;
            await shows(page, READ.search, expected, `${dialect}: ${words} for the ${caller}`);
            if (hits.length) continue;
            await shows(page, text, bodies ? 'No skill matches. Try other words.' : 'No skill matches. Search their texts too, or try other words.', `${dialect}: no ${words}`);
          }
        }
      }
    }
    assert.ok(compared > 20, `${compared} hits`);
    await page.fill('#search', 'leaves');
    await shows(page, () => [document.querySelector('#sum').textContent, ...[...document.querySelectorAll('mark')].map(mark => mark.textContent)], ['2 skills', 'leaves', 'leaves'], 'marks');
    await page.locator('.opener[data-path$="/errand/SKILL.md"]').click();
    await shows(page, () => document.querySelector('#what').textContent, 'errand/SKILL.md in claude', 'the skill');
    await page.keyboard.press('Escape');
    await shows(page, () => [document.activeElement.textContent, document.querySelector('#search').value], ['errand', 'leaves'], 'back at the row');
    // Side by side, the better rank first.
    await page.click('#side');
    await page.selectOption('#dialect-1', 'sven');
    const ranks = new Map();
    for (const dialect of ['claude', 'sven']) {
      const { hits } = await printed(dialect, roots(skills), 'search', 'leaves', '--as', 'user', '--body');
      hits.forEach(({ path }, at) => ranks.set(path, [...ranks.get(path) ?? [], `${dialect} ${at + 1}`]));
    }
    const ranked = () => [...document.querySelectorAll('.pairs tbody')].map(body => [
      body.querySelector('.opener').dataset.path, [...body.querySelectorAll('td:has(.line)')].map(cell => `${cell.dataset.label} ${cell.querySelector('.line > span').textContent}`)]);
    const best = ([, all]) => Number(all[0].split(' ')[1]);
    await shows(page, ranked, [...ranks].sort((a, b) => best(a) - best(b)), 'side by side');
    await page.fill('#search', 'spaceship');
    await shows(page, () => [document.querySelector('#sum').textContent, document.querySelector('#result').textContent], ['0 skills', 'No skill matches. Try other words.'], 'in none');
    await close();
    // The address has it all.
    const linked = await opened({ fragment: '#view=search&search=hot%20water' });
    const [[rank, , key, matched]] = await linked.page.evaluate(READ.search);
    assert.deepEqual([rank, key, matched, await linked.page.isChecked('#bodies')], ['1', 'clean', 'body', true]);
    await linked.close();
    const namesOnly = await opened({ fragment: '#view=search&search=hot%20water&bodies=0' });
    assert.equal(await namesOnly.page.isChecked('#bodies'), false);
    await namesOnly.close();
  },

  async 'a search follows what is typed, and no older answer replaces a newer one'() {
    // Holds back the answer to one request.
    const first = () => {
      const add = Worker.prototype.addEventListener;
      Worker.prototype.addEventListener = function listen(type, heard) {
        add.call(this, type, event => {
          if (JSON.stringify(event.data?.answer ?? '').includes('"query":"buys"')) window.answerLate = () => heard(event);
          else heard(event);
        });
      };
    };
    const { page, close } = await opened({ view: 'search', first });
    const root = await tree('typed', {
      'brew/SKILL.md': '---\nname: brew\ndescription: Brews 🫖 of tea.\n---\nHeat the kettle.\n',
      'errand/SKILL.md': '---\nname: errand\ndescription: Buys leaves.\n---\n',
    });
    await page.uncheck('#bodies');
    await choose(page, root);
    const keys = () => [document.querySelector('#search').value, ...[...document.querySelectorAll('.hits th[scope=row]')].map(head => head.textContent)];
    await page.fill('#search', 'buys');
    await page.waitForFunction(() => window.answerLate);
    await page.fill('#search', 'brewing');
    await shows(page, keys, ['brewing', 'brew'], 'the newer one');
    await page.evaluate(() => window.answerLate());
    assert.deepEqual(await page.evaluate(keys), ['brewing', 'brew']);
    // Keys that are pressed while answers come.
    await page.fill('#search', '');
    await page.locator('#search').pressSequentially('leaves and a kettle', { delay: 40 });
    await shows(page, keys, ['leaves and a kettle', 'errand'], 'typed');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'search');
    await page.check('#bodies');
    await shows(page, () => [...document.querySelectorAll('.hits th[scope=row]')].map(head => head.textContent).sort(), ['brew', 'errand'], 'bodies');
    // What has changed on the disk is there when the folder is chosen again.
    await page.fill('#search', 'samovar');
    await shows(page, () => document.querySelector('#result').textContent, 'No skill matches. Try other words.', 'not yet');
    await tree('typed', {
      'brew/SKILL.md': '---\nname: brew\ndescription: Brews 🫖 of tea.\n---\nHeat the samovar.\n',
      'urn/SKILL.md': '---\nname: urn\ndescription: Polishes a samovar.\n---\n',
    });
    await choose(page, root);
    await shows(page, keys, ['samovar', 'urn', 'brew'], 'edited and added');
    await page.fill('#search', 'tea');
    await shows(page, () => [...document.querySelectorAll('mark')].map(mark => [mark.previousSibling.textContent, mark.textContent, mark.nextSibling.textContent]), [['Brews 🫖 of ', 'tea', '.']], 'whole characters');
    await close();
  },

  async 'skills are switched on and off as on the command line'() {
    const { page, close } = await opened();
    await choose(page, skills);
    for (const dialect of ['agentskills', 'gencode']) {
      await page.selectOption('#dialect-0', dialect);
      const [first, second] = (await printed(dialect, roots(skills), 'list')).skills.map(({ key }) => key);
      await page.fill('#disable', `${first}  ${second}`);
      await page.fill('#enable', second);
      const list = await printed(dialect, [...roots(skills), '--disable', first, '--disable', second, '--enable', second], 'list');
      const { outcomes } = await printed(dialect, [...roots(skills), '--disable', first, '--disable', second, '--enable', second], 'why', skills);
      await shows(page, READ.skills, list.skills.map(skill => rowOf(skill, outcomes)), `${dialect}: switched`);
    }
    await close();
  },

  async 'a dropped project is taken for one, and what is in its folders'() {
    const { page, close, context } = await opened();
    const session = await context.newCDPSession(page);
    const data = { items: [], files: [project], dragOperationsMask: 1 };
    for (const type of ['dragEnter', 'dragOver', 'drop']) await session.send('Input.dispatchDragEvent', { type, x: 300, y: 300, data });
    await shows(page, () => [document.querySelector('#root').value, document.querySelector('#kind').value], ['/project', 'project'], 'taken');
    await quiet(page);
    await stand(page, project);
    assert.equal(await page.evaluate(() => document.body.classList.contains('dragged')), false);
    for (const dialect of ['agentskills', 'claude', 'sven']) assert.ok(await same(page, dialect, project, ['--project', project]) > 4);
    await close();
  },

  async 'a drop gives its names in parts, files that cannot be read, and folders that are not entered'() {
    const { page, close } = await opened();
    await page.evaluate(() => {
      const file = (name, text) => ({ name, isFile: true, file: (take, fail) => text === null ? fail(new DOMException('it is locked')) : take(new File([text], name)) });
      const dir = (name, all) => ({
        name, isFile: false, isDirectory: true, createReader: () => {
          let at = 0;
          return { readEntries: take => take(all.slice(at, at += 2)) };
        },
      });
      const skill = name => dir(name, [file('SKILL.md', `---\nname: ${name}\ndescription: The skill ${name}.\n---\n`)]);
      const never = { name: 'node_modules', isFile: false, createReader: () => { throw new Error('entered'); } };
      const shut = { name: 'shut', isFile: false, createReader: () => ({ readEntries: (take, fail) => fail(new DOMException('it is shut')) }) };
      const all = [skill('a'), skill('b'), never, shut, skill('c'), dir('locked', [file('SKILL.md', null)]), skill('__proto__'), skill('d')];
      const event = new Event('drop', { bubbles: true, cancelable: true });
      event.dataTransfer = { types: ['Files'], items: [{ kind: 'string' }, { kind: 'file', webkitGetAsEntry: () => dir('mine', all) }] };
      document.body.dispatchEvent(event);
    });
    await shows(page, () => [...document.querySelectorAll('.skills tbody th')].map(head => head.textContent), ['__proto__', 'a', 'b', 'c', 'd'], 'keys');
    assert.equal(await page.inputValue('#root'), '/mine');
    assert.match(await page.textContent('.outcomes'), /locked\/SKILL\.md/);
    assert.match(await page.textContent('#result'), /it is locked/);
    assert.deepEqual(await page.locator('#left li').allTextContents().then(all => all.slice(0, -1).sort()), [
      'mine/locked/SKILL.md: the browser cannot open it: it is locked',
      'mine/node_modules: no skill system searches it',
      'mine/shut: the browser cannot list it: it is shut',
    ]);
    await close();
  },

  async 'one skill alone and a pasted SKILL.md stand in a folder of their own'() {
    const { page, close } = await opened();
    await page.setInputFiles('#folder', join(skills, 'errand'));
    await shows(page, READ.skills, [['errand', 'errand', 'Buys leaves, apart from the conversation.', 'root', 'model and user']], 'the skill');
    await page.click('#write');
    await page.keyboard.type('---\nname: pasted-tea\ndescription: Use it: now.\n---\nBody.\n');
    await page.click('#writing button.first');
    await shows(page, READ.skills, [['pasted-tea', 'pasted-tea', 'Use it: now.', 'root', 'model and user, repaired']], 'the pasted one');
    await page.click('#tab-findings');
    await shows(page, () => document.querySelector('.mended .source > :last-child')?.textContent, 'description: "Use it: now."', 'mended');
    assert.equal(await page.textContent('.was mark'), ':');
    await close();
  },

  async 'side by side what both have of a file stands in one row, and differences are marked'() {
    const { page, close } = await opened();
    await choose(page, skills);
    await page.click('#side');
    await page.selectOption('#dialect-0', 'agentskills');
    await page.selectOption('#dialect-1', 'claude');
    await quiet(page);
    const rowsOf = () => page.locator('.pairs tbody').evaluateAll(all => all.map(body => {
      const cells = [...body.rows[1].cells].map(cell => cell.getBoundingClientRect());
      const tops = [...body.rows[1].cells].map(cell => cell.firstElementChild.getBoundingClientRect().top);
      return { path: body.querySelector('.opener').textContent, tops, cells: cells.map(({ x, y }) => ({ x, y })), mark: body.querySelector('.chip.different')?.textContent ?? null };
    }));
    const wide = await rowsOf();
    for (const { path, tops, cells: [left, right] } of wide) {
      assert.ok(right.x > left.x + 100 && left.y === right.y && Math.abs(tops[0] - tops[1]) <= 1, `${path}: ${JSON.stringify([left, right, tops])}`);
    }
    const marks = new Map();
    for (const dialect of ['agentskills', 'claude']) {
      const { skills: used } = await printed(dialect, roots(skills), 'list');
      for (const { path } of used) marks.set(path, [...marks.get(path) ?? [], dialect]);
    }
    for (const { path, mark } of wide) {
      const by = marks.get(join(skills, path)) ?? [];
      if (by.length === 1) assert.equal(mark, `in use only in ${by[0]}`, path);
      else if (mark !== null) assert.match(mark, /^differs: /, path);
    }
    const different = wide.filter(({ mark }) => mark);
    assert.ok(different.length > 0 && different.length < wide.length, JSON.stringify(wide));
    assert.equal(await page.textContent('#sum'), `${different.length} differences in ${wide.length} rows`);
    await page.check('#differing');
    await shows(page, () => [...document.querySelectorAll('.pairs .opener')].map(one => one.textContent), different.map(({ path }) => path), 'differences alone');
    await page.uncheck('#differing');
    // The same dialect twice differs in nothing.
    await page.selectOption('#dialect-1', 'agentskills');
    await shows(page, () => /^0 differences/.test(document.querySelector('#sum').textContent) && !document.querySelector('.different'), true, 'no difference');
    await page.selectOption('#dialect-1', 'sven');
    await quiet(page);
    await page.locator('.opener[data-path$="/brew/SKILL.md"]').click();
    await shows(page, () => [...document.querySelectorAll('.pairs .part')].filter(part => part.textContent === 'On load').length, 1, 'a part of both');
    await page.click('#back');
    await quiet(page);
    await page.setViewportSize({ width: 360, height: 740 });
    for (const { path, cells: [above, under] } of await rowsOf()) assert.ok(under.x === above.x && under.y > above.y, path);
    assert.equal(await page.locator('.pairs tbody td').first().evaluate(cell => getComputedStyle(cell, '::before').content), '"agentskills"');
    await close();
  },

  async 'the keyboard alone does it all, and shows where it is'() {
    const { page, close } = await opened();
    const focus = () => page.evaluate(() => {
      const { id, textContent, className } = document.activeElement;
      const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
      return { id, text: textContent, className, isSeen: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 };
    });
    const tabTo = async wanted => {
      for (let presses = 0; presses < 60; presses += 1) {
        await page.keyboard.press('Tab');
        const now = await focus();
        assert.ok(now.isSeen || now.id === '', `the focus on ${JSON.stringify(now)} is not seen`);
        if (wanted(now)) return now;
      }
      throw new Error('the tab key does not get there');
    };
    await tabTo(({ id }) => id === 'write');
    await page.keyboard.press('Enter');
    assert.equal((await focus()).id, 'writing-text');
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('#writing').evaluate(dialog => dialog.open), false);
    assert.equal((await focus()).id, 'write');
    await tabTo(({ id }) => id === 'side');
    await page.keyboard.press('Space');
    await shows(page, () => document.querySelectorAll('.pairs').length, 1, 'two dialects');
    await page.keyboard.press('Space');
    await shows(page, () => document.querySelectorAll('.pairs').length, 0, 'one dialect');
    await tabTo(({ id }) => id === 'tab-skills');
    await page.keyboard.press('ArrowRight');
    await shows(page, () => document.activeElement.id, 'tab-search', 'the next tab');
    await page.keyboard.press('ArrowRight');
    await shows(page, () => document.activeElement.id + Boolean(document.querySelector('[aria-label="The prompt"]')), 'tab-prompttrue', 'the one after it');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    // A row that is drawn anew while it has the focus would lose it.
    await quiet(page);
    await tabTo(({ className, text }) => className === 'sort' && text === 'Key');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    assert.deepEqual(await focus().then(({ className, text }) => [className, text]), ['sort', 'Key▼']);
    await page.keyboard.press('Enter');
    const first = await tabTo(({ className }) => className === 'opener');
    await page.keyboard.press('ArrowDown');
    const second = await focus();
    assert.ok(second.className === 'opener' && second.text !== first.text && second.isSeen, JSON.stringify([first, second]));
    await page.keyboard.press('End');
    await page.keyboard.press('Home');
    assert.deepEqual(await focus(), first);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await shows(page, () => document.activeElement.id, 'back', 'the skill is open');
    for (const id of ['edit', 'caller', 'args']) {
      await page.keyboard.press('Tab');
      assert.equal((await focus()).id, id);
    }
    await page.keyboard.type('words');
    await shows(page, () => document.querySelector('#result').textContent.includes(' words'), true, 'the arguments count');
    await page.keyboard.press('Escape');
    await shows(page, () => document.activeElement.textContent, second.text, 'back at the row');
    await close();
  },

  async 'a typed message is no error where the dialect has no triggers'() {
    const { page, close } = await opened();
    await page.click('#tab-message');
    let without = 0;
    for (const dialect of await page.locator('#dialect-0 option').allTextContents()) {
      const { matching, slash } = await printed(dialect, [], 'dialect', dialect);
      await page.selectOption('#dialect-0', dialect);
      await page.fill('#message', 'please make tea');
      await quiet(page);
      await shows(page, () => document.querySelectorAll('.refused').length, 0, `${dialect}: no error`);
      if (matching) continue;
      without += 1;
      await shows(page, () => document.querySelector('#result .note')?.textContent.split(':')[0], `${dialect} has no triggers`, dialect);
      assert.equal((await page.textContent('#result .note')).includes('types a command'), Boolean(slash), dialect);
    }
    assert.ok(without > 3, String(without));
    // The commands that there are can be tried.
    await page.selectOption('#dialect-0', 'claude');
    await page.fill('#message', '');
    await quiet(page);
    await shows(page, () => [...document.querySelectorAll('.try')].map(one => one.dataset.line).includes('/brew'), true, 'commands');
    await page.click('.try[data-line="/brew"]');
    await shows(page, () => [document.querySelector('#message').value, Boolean(document.querySelector('[aria-label="Invocation"]'))], ['/brew', true], 'tried');
    await close();
  },

  async 'the field for a budget stands only where it counts'() {
    const { page, close } = await opened();
    const has = new Map();
    for (const dialect of await page.locator('#dialect-0 option').allTextContents()) {
      has.set(dialect, (await printed(dialect, [], 'dialect', dialect)).prompt.budget !== null);
      await page.selectOption('#dialect-0', dialect);
      for (const [tab, counts] of [['skills', false], ['search', false], ['prompt', true], ['message', false], ['findings', false], ['seen', true]]) {
        await page.click(`#tab-${tab}`);
        assert.equal(await page.isVisible('#budget'), counts && has.get(dialect), `${dialect} ${tab}`);
      }
    }
    assert.deepEqual(new Set(has.values()), new Set([true, false]));
    const [unlimited, limited] = [false, true].map(wanted => [...has].find(([, there]) => there === wanted)[0]);
    // One that was typed before counts for the dialect that has a budget, and for it alone.
    await page.click('#side');
    await page.selectOption('#dialect-0', unlimited);
    await page.selectOption('#dialect-1', limited);
    await page.click('#tab-prompt');
    await page.fill('#budget', '1');
    await shows(page, () => [...document.querySelectorAll('.cost')].map(cost => /no budget$/.test(cost.textContent) ? 'none' : / of 1 character,/.test(cost.textContent) ? 'one' : cost.textContent), ['none', 'one'], 'the budgets');
    await close();
  },

  async 'the cells of a row begin at one height'() {
    const { page, close } = await opened({ viewport: { width: 1000, height: 900 } });
    for (const dialect of ['agentskills', 'claude', 'gencode']) {
      await page.selectOption('#dialect-0', dialect);
      await quiet(page);
      const tops = await page.locator('.skills tbody tr:not(.more-of-it)').evaluateAll(rows => rows.map(row => [...row.cells].filter(cell => cell.textContent).map(cell => {
        const text = document.createRange();
        text.selectNodeContents(document.createTreeWalker(cell, NodeFilter.SHOW_TEXT).nextNode());
        const [first] = text.getClientRects();
        return first.top + first.height / 2;
      })));
      assert.ok(tops.length > 4 && tops.some(row => row.length > 2));
      for (const row of tops) assert.ok(Math.max(...row) - Math.min(...row) <= 2, `${dialect}: ${row}`);
      assert.equal(await page.locator('.skills td').first().evaluate(cell => getComputedStyle(cell).verticalAlign), 'top');
    }
    await close();
  },

  async 'a column that is the same in every row stands above'() {
    const { page, close } = await opened();
    const columns = () => page.locator('.skills thead th').allTextContents();
    const above = () => page.locator('.same dd').allTextContents();
    await choose(page, await tree('alike', { 'a/SKILL.md': '---\nname: a\ndescription: One.\n---\n', 'b/SKILL.md': '---\nname: b\ndescription: Two.\n---\n' }));
    assert.deepEqual([await columns(), await above()], [['Key', 'Description'], ['Name: the same as the key', 'Source: root', 'State: model and user']]);
    // The filter does not move columns about.
    await page.fill('#filter', 'two');
    await shows(page, () => document.querySelectorAll('.skills tbody tr').length, 1, 'one row');
    assert.deepEqual(await columns(), ['Key', 'Description']);
    await page.fill('#filter', '');
    await choose(page, await tree('unlike', { 'a/SKILL.md': '---\nname: a\ndescription: One.\n---\n', 'b/SKILL.md': '---\nname: c\ndescription: One.\ndisable-model-invocation: true\n---\n' }));
    await page.selectOption('#dialect-0', 'claude');
    await quiet(page);
    assert.deepEqual([await columns(), await above()], [['Key', 'Name', 'State'], ['Description: One.', 'Source: root']]);
    await choose(page, await tree('single', { 'a/SKILL.md': '---\nname: a\ndescription: One.\n---\n' }));
    assert.deepEqual([await columns(), await above()], [['Key', 'Name', 'Description', 'Source', 'State'], []]);
    await close();
  },

  async 'a row says how much is found, how bad it is, and shows it'() {
    const root = await tree('found', {
      'both/SKILL.md': '---\nname: both\ndescription: Use: it.\nallowed-toolz: Read\n---\n',
      'fine/SKILL.md': '---\nname: fine\ndescription: Nothing wrong.\n---\n',
      'wrong/SKILL.md': '---\nname: other\ndescription: Wrong: name.\n---\n',
    });
    const { page, close } = await opened();
    await choose(page, root);
    const { findings } = await printed('agentskills', roots(root), 'check');
    const order = ['error', 'warning', 'note'];
    const expected = Object.fromEntries(['both', 'fine', 'wrong'].map(key => {
      const own = findings.filter(({ path }) => path.startsWith(join(root, key))).map(({ severity }) => severity);
      const worst = order.find(severity => own.includes(severity));
      const most = own.filter(severity => severity === worst).length;
      return [key, own.length ? `${most} ${worst}${most === 1 ? '' : 's'}${own.length > most ? `, ${own.length - most} more` : ''}` : ''];
    }));
    assert.ok(expected.both && expected.wrong.startsWith('1 error, ') && !expected.fine, JSON.stringify(expected));
    await shows(page, () => Object.fromEntries([...document.querySelectorAll('.skills tbody tr:not(.more-of-it)')].map(row => [row.querySelector('.opener').dataset.path.split('/').at(-2), row.querySelector('[data-label="Findings"]').textContent])), expected, 'in the rows');
    const button = page.locator('.found.error');
    assert.equal(await button.getAttribute('aria-expanded'), 'false');
    await button.click();
    await shows(page, () => [...document.querySelectorAll('.more-of-it:not([hidden]) .finding > .line > code')].map(code => code.textContent).sort(),
      findings.filter(({ path }) => path.startsWith(join(root, 'wrong'))).map(({ code }) => code).sort(), 'the findings');
    assert.equal(await button.getAttribute('aria-expanded'), 'true');
    await button.click();
    assert.equal(await page.locator('.more-of-it:not([hidden])').count(), 0);
    await close();
  },

  async 'rows are filtered and ordered, also side by side'() {
    const { page, close } = await opened();
    await choose(page, skills);
    const keys = () => [...document.querySelectorAll('.skills tbody th')].map(head => head.textContent);
    const usual = await page.evaluate(keys);
    const names = [...usual].sort();
    await page.click('.sort:has-text("Key")');
    await shows(page, keys, names, 'by key');
    assert.equal(await page.locator('[aria-sort=ascending]').textContent(), 'Key▲');
    await page.click('.sort:has-text("Key")');
    await shows(page, keys, [...names].reverse(), 'backwards');
    await page.click('.sort:has-text("Key")');
    await shows(page, keys, usual, 'as the dialect does');
    await page.selectOption('#order', 'findings');
    await shows(page, () => Boolean(document.querySelector('.skills tbody tr .found')?.closest('tr').matches(':first-child')), true, 'the worst first');
    await page.selectOption('#order', '');
    await page.fill('#filter', 'LEAVES  use');
    const { skills: all } = await printed('agentskills', roots(skills), 'list');
    const { outcomes } = await printed('agentskills', roots(skills), 'why', skills);
    const expected = all.filter(skill => ['leaves', 'use'].every(word => `${rowOf(skill, outcomes).join('\n')}\n${skill.path}`.toLowerCase().includes(word))).map(({ key }) => key);
    assert.ok(expected.length > 0 && expected.length < all.length, String(expected));
    await shows(page, keys, expected, 'filtered');
    assert.match(await page.textContent('#sum'), /; \d+ of \d+ shown$/);
    await page.fill('#filter', 'nothing has this');
    await shows(page, () => document.querySelector('#result').textContent, 'Nothing matches the filter.', 'nothing');
    await page.click('#tab-findings');
    await page.fill('#filter', 'name-missing');
    await shows(page, () => [...document.querySelectorAll('.findings .opener')].map(one => one.textContent), ['no-name/SKILL.md'], 'findings');
    await page.fill('#filter', '');
    await page.selectOption('#order', 'severity');
    await quiet(page);
    const worst = await page.locator('.findings section').evaluateAll(all => all.map(one => Boolean(one.querySelector('.chip.error'))));
    assert.deepEqual(worst, [...worst].sort().reverse());
    await page.click('#tab-seen');
    await page.fill('#filter', 'by-hand');
    await page.click('#side');
    await shows(page, () => [...document.querySelectorAll('.pairs .opener')].map(one => one.textContent), ['by-hand/SKILL.md'], 'side by side');
    // Sorted while the answers of the second dialect are awaited.
    await page.click('#side');
    await quiet(page);
    await page.evaluate(() => {
      document.querySelector('#side').click();
      document.querySelector('#order').dispatchEvent(new Event('change'));
    });
    await shows(page, () => [...document.querySelectorAll('.pairs .opener')].map(one => one.textContent), ['by-hand/SKILL.md'], 'side by side again');
    await close();
  },

  async 'the prompt, a loaded text and a mended line are copied as they are'() {
    const { page, close, context } = await opened();
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
    await choose(page, skills);
    const copied = async label => {
      await page.getByRole('button', { name: `Copy: ${label}` }).first().click();
      await shows(page, () => document.querySelector('#said').textContent, 'Copied', label);
      const text = await page.evaluate(() => navigator.clipboard.readText());
      await page.evaluate(() => { document.querySelector('#said').textContent = ''; return navigator.clipboard.writeText(''); });
      return text;
    };
    await page.click('#tab-prompt');
    await quiet(page);
    assert.equal(await copied('The prompt'), (await printed('agentskills', roots(skills), 'prompt')).text);
    await page.click('#tab-skills');
    await page.locator('.opener[data-path$="/brew/SKILL.md"]').click();
    await quiet(page);
    assert.equal(await copied('Loaded text'), (await printed('agentskills', roots(skills), 'load', 'brew', '--as', 'model')).text);
    await page.locator('#file summary').click();
    assert.equal(await copied('the file'), await readFile(join(skills, 'brew/SKILL.md'), 'utf8'));
    await page.click('#tab-findings');
    await quiet(page);
    const { fix } = (await printed('agentskills', roots(skills), 'check')).findings.find(one => one.fix);
    assert.equal(await copied('the corrected text'), fix.with);
    // Where the browser does not let it, the text is selected.
    await page.evaluate(() => { navigator.clipboard.writeText = () => Promise.reject(new DOMException('not allowed')); });
    await page.getByRole('button', { name: 'Copy: the corrected text' }).first().click();
    await shows(page, () => document.querySelector('#said').textContent, 'Selected: press Ctrl+C', 'selected');
    assert.ok((await page.evaluate(() => getSelection().toString())).includes(fix.with));
    await close();
  },

  async 'a finding says what its code means, and the page asks for nothing'() {
    const { page, close } = await opened();
    await choose(page, skills);
    await page.click('#tab-findings');
    await quiet(page);
    const before = asked.length;
    const read = finding => {
      const [, ...parts] = finding.querySelector('.meaning').children;
      return parts.map(part => part.tagName === 'P' ? part.textContent : part.querySelector('pre').textContent);
    };
    // Paragraphs are one line each, and what stands between backticks is code.
    const plain = text => text.split('\n\n').map(paragraph => paragraph.replaceAll('\n', ' ').replaceAll('`', ''));
    const all = await page.locator('.finding').all();
    assert.ok(all.length > 2);
    for (const one of all) {
      await one.locator('summary').click();
      await one.locator('pre').nth(-1).waitFor();
      const code = await one.locator('.line > code').textContent();
      const expected = await printed('agentskills', [], 'explain', code);
      const shown = await one.evaluate(read);
      const paragraphs = plain(expected.text);
      assert.deepEqual(shown.slice(0, paragraphs.length), paragraphs, code);
      const [bad, good] = ['Bad', 'Good'].map(word => shown.findIndex(text => new RegExp(`^${word}.*:$`).test(text)));
      assert.equal(bad, paragraphs.length, code);
      for (const text of shown.slice(bad + 1, good)) assert.ok(expected.bad.includes(text), `${code}: ${text}`);
      for (const text of shown.slice(good + 1)) assert.ok(expected.good.includes(text), `${code}: ${text}`);
      assert.ok(bad + 1 < good && good + 1 < shown.length, code);
    }
    // The browser fetches the icon when it has nothing better to do.
    assert.deepEqual(asked.slice(before).filter(name => name !== '/icon.svg'), []);
    await close();
  },

  async 'what a message has between backticks is shown as code'() {
    const { page, close } = await opened();
    await choose(page, skills);
    for (const [view, read] of [['findings', '.finding > p'], ['seen', '.outcomes p'], ['skills', '.outcomes p']]) {
      await page.click(`#tab-${view}`);
      await quiet(page);
      const told = await page.locator(read).evaluateAll(all => all.map(one => ({ text: one.textContent, code: one.querySelectorAll('code').length })));
      assert.ok(told.some(({ code }) => code) && told.every(({ text }) => !text.includes('`')), `${view}: ${JSON.stringify(told)}`);
    }
    await close();
  },

  async 'a .skill file is read, chosen or dropped, as the command line reads it'() {
    const packed = join(folder, 'brew.skill');
    await new Promise((done, fail) => execFile(skilltree, ['pack', join(skills, 'brew'), '-o', packed], error => error ? fail(error) : done()));
    const { page, close, context } = await opened();
    await page.setInputFiles('#file-one', packed);
    const { skills: all } = await printed('agentskills', roots(packed), 'list');
    assert.ok(all.length > 0);
    await shows(page, () => [...document.querySelectorAll('.skills tbody tr:not(.more-of-it) th')].map(head => head.textContent).sort(), all.map(({ key }) => key).sort(), 'chosen');
    assert.equal(await page.isVisible('#left'), false);
    await page.locator('.opener').first().click();
    await page.locator('#file summary').click();
    await shows(page, () => document.querySelector('#file-text').textContent, await readFile(join(skills, 'brew/SKILL.md'), 'utf8'), 'its text');
    await page.click('#example');
    await quiet(page);
    const session = await context.newCDPSession(page);
    for (const type of ['dragEnter', 'dragOver', 'drop']) {
      await session.send('Input.dispatchDragEvent', { type, x: 300, y: 300, data: { items: [], files: [packed], dragOperationsMask: 1 } });
    }
    await shows(page, () => document.querySelector('#told').textContent.replace(/,.*/, ''), `skills: ${(await readdir(join(skills, 'brew'), { recursive: true, withFileTypes: true })).filter(entry => entry.isFile()).length} files`, 'dropped');
    await close();
  },

  async 'a hostile archive is refused, entry by entry, and says why'() {
    const skill = name => file(`${name}/SKILL.md`, `---\nname: ${name}\ndescription: The skill ${name}.\n---\n`);
    const bomb = file('good/bomb.txt', Buffer.alloc(2 ** 22));
    const entries = [
      skill('good'),
      file('../climbs.md', 'x'),
      file('/absolute.md', 'x'),
      file('C:/drive.md', 'x'),
      file('back\\slash.md', 'x'),
      file('good/nul\0.md', 'x'),
      file('good//empty.md', 'x'),
      { ...file('good/\xff.md', 'x'), encoding: 'latin1' },
      file(`good/${'n'.repeat(1100)}`, 'x'),
      file(`good/${'d/'.repeat(40)}deep.md`, 'x'),
      file('good/SKILL.md', 'again'),
      file('GOOD/case.md', 'x'),
      file('good/SKILL.md/below.md', 'x'),
      file('good/link.md', '../../secret', { mode: 0o120777, method: 0 }),
      file('good/locked.md', 'x', { flags: 0x801 }),
      file('good/other.md', 'x', { method: 12 }),
      file('good/lies.md', 'x', { sizeAtPlace: 7 }),
      file('good/changed.md', 'x', { crc: 1 }),
      file('good/longer.md', 'four', { size: 3 }),
      bomb,
    ];
    const { page, close } = await opened();
    const give = (name, buffer) => page.setInputFiles('#file-one', { name, mimeType: 'application/zip', buffer });
    await give('evil.skill', zip(entries));
    await shows(page, () => [...document.querySelectorAll('.skills tbody th')].map(head => head.textContent), ['good'], 'the good one');
    await page.evaluate(() => { document.querySelector('#left').open = true; });
    const told = await page.locator('#left li').allTextContents();
    const because = ['it climbs', 'its name contains ..', 'its name is absolute', "its name starts with a drive letter", 'its name contains a \\', 'its name contains a NUL character', 'a part of its name is empty or .',
      'its name is not UTF-8', 'its name is too long', 'it is nested too deeply', 'an earlier entry has the same name', "its name differs from another entry's only in letter case", 'its parent is a file',
      'it is a symlink or another special file, and is not followed', 'it is encrypted', 'its compression method is not DEFLATE', 'its local header does not match the directory',
      "it is damaged: its contents do not match the archive's checksum", 'its compression ratio is too high'].slice(1);
    for (const why of because) assert.ok(told.some(text => text.startsWith('evil.skill: ') && text.endsWith(`: ${why}`)), `${why} in ${told.join('\n')}`);
    assert.equal(told.length, entries.length - 1);
    assert.match(await page.textContent('#left summary'), /^Left out: 19 entries$/);
    const whole = [
      ['no.skill', Buffer.from('no zip at all, but long enough to have the end of one'), 'not a zip archive'],
      ['cut.skill', zip([skill('a')]).subarray(0, 60), 'not a zip archive'],
      ['many.skill', zip(Array.from({ length: 10_001 }, (_, at) => file(`a/${at}`, ''))), 'the archive has 10001 entries, expected at most 10000'],
      ['big.skill', zip([file('a/b', 'x', { size: 2 ** 26 + 1 })]), 'the archive has 67108865 bytes when unpacked, expected at most 67108864'],
      ['fewer.skill', zip([skill('a')], { count: 2 }), 'its directory has fewer entries than it declares'],
      ['more.skill', zip([skill('a'), skill('b')], { count: 1 }), 'its directory has more entries than it declares'],
    ];
    for (const [name, buffer, why] of whole) {
      await give(name, buffer);
      await page.waitForSelector(`#left li:has-text("${name}")`);
      const text = await page.textContent('#left li');
      assert.ok(text.startsWith(`${name}: `) && text.includes(why), text);
      assert.match(await page.textContent('#told'), /^None of the files can be read/);
    }
    await close();
  },

  async 'what the browser left out is told'() {
    const { page, close } = await opened();
    assert.equal(await page.isVisible('#left'), false, 'nothing is left out of the example');
    await choose(page, project);
    assert.deepEqual((await page.locator('#left li').allTextContents()).map(text => text.split(':')[0]), ['project/node_modules', 'symbolic links']);
    await choose(page, skills);
    assert.equal(await page.textContent('#left summary'), 'Left out: symbolic links, if there are any');
    const drop = (count, size) => page.evaluate(([count, size]) => {
      const file = (name, text, size) => ({ name, isFile: true, file: take => {
        const made = new File([text], name);
        if (size) Object.defineProperty(made, 'size', { value: size });
        take(made);
      } });
      const all = [file('SKILL.md', '---\nname: a\ndescription: The skill a.\n---\n'), ...Array.from({ length: count }, (_, at) => file(`${at}.txt`, '', size))];
      const dir = { name: 'a', isFile: false, createReader: () => ({ readEntries: take => take(all.splice(0, 5000)) }) };
      const event = new Event('drop', { bubbles: true, cancelable: true });
      event.dataTransfer = { types: ['Files'], items: [{ kind: 'file', webkitGetAsEntry: () => dir }] };
      document.body.dispatchEvent(event);
    }, [count, size]);
    await drop(1, 2 ** 26 + 1);
    await shows(page, () => document.querySelector('#left li').textContent, 'a/0.txt: the file has 67108865 bytes, expected at most 67108864', 'too large');
    await drop(20_005);
    await shows(page, () => document.querySelector('#left li').textContent, 'more than 20,000 files; the rest is not read', 'too many');
    await close();
  },

  async 'a repository is read from the folder that all its skills are in'() {
    const skill = name => `---\nname: ${name}\ndescription: The skill ${name}.\n---\n`;
    const { page, close } = await opened();
    const rows = () => [document.querySelector('#root').value, [...document.querySelectorAll('.skills tbody th')].map(head => head.textContent), document.querySelector('#left li').textContent];
    await page.selectOption('#dialect-0', 'claude');
    await page.setInputFiles('#folder', await tree('repository', { 'README.md': 'x', 'docs/a.md': 'x', 'agent/skills/a/SKILL.md': skill('a'), 'agent/skills/b/SKILL.md': skill('b') }));
    await shows(page, rows, ['/repository/agent/skills', ['a', 'b'], 'repository: all skills are in agent/skills, so only that folder is read; 2 files outside it are left out'], 'one folder');
    const links = 'symbolic links: browsers do not show them; a skill behind a symbolic link is missing here, but the command line finds it';
    await page.setInputFiles('#folder', await tree('several', { 'a/SKILL.md': skill('a'), 'more/b/SKILL.md': skill('b') }));
    await shows(page, rows, ['/several', ['a'], links], 'several folders');
    await page.setInputFiles('#folder', await tree('of-a-project', { 'src/x': '', '.claude/skills/a/SKILL.md': skill('a') }));
    await shows(page, rows, ['/of-a-project', ['a'], links], 'a project');
    await close();
  },

  async 'one sentence says what is found'() {
    const { sentence, dropped } = await import(pathToFileURL(join(site, 'found.mjs')));
    const tables = new Map([['agentskills', 'the standard'], ['zed', 'Zed: one level'], ['claude', 'Claude Code: folders'], ['cursor', 'Cursor: names']].map(([name, about]) => [name, { name, about }]));
    // The states in the standard, Zed, Claude Code and Cursor, in turn.
    const told = (rows, these = 'your') => sentence({
      dialects: [...tables.keys()],
      rows: Object.entries(rows).map(([path, states]) => ({ path: `/${path}/SKILL.md`, name: path.split('/').at(-1), cells: Object.fromEntries(states.map((state, at) => [[...tables.keys()][at], { state }])) })),
    }, tables, these);
    const used = Array(4).fill('in-use');
    assert.equal(told({}), 'No agent finds a skill here.');
    assert.equal(told({ a: used, b: used }), 'Every agent sees all 2 skills.');
    assert.equal(told({ a: used }), 'Every agent sees your skill.');
    assert.equal(told({ a: used }, 'these'), 'Every agent sees this skill.');
    // What is hidden, or shown by its name only, is there.
    assert.equal(told({ a: ['in-use', 'hidden', 'name-only', 'in-use'], b: used }), 'Every agent sees all 2 skills.');
    // What nobody has is dropped by nobody; what only the standard has, is.
    assert.equal(told({ a: used, b: Array(4).fill('skipped') }), 'Every agent sees 1 of your 2 skills.');
    assert.equal(told({ a: Array(4).fill('skipped'), b: Array(4).fill('unseen') }), 'No agent sees any of your 2 skills.');
    assert.equal(told({ a: used, b: ['in-use', 'skipped', 'skipped', 'skipped'] }), 'Claude Code drops 1 of your 2 skills; all 3 agents drop at least one.');
    for (const state of ['skipped', 'shadowed', 'left-out', 'unseen']) {
      assert.equal(told({ a: used, b: ['in-use', 'in-use', 'in-use', state] }, 'these'), 'Cursor drops 1 of these 2 skills; the other agents drop none.', state);
    }
    assert.equal(told({ a: ['in-use', 'in-use', 'in-use', 'skipped'] }), 'Cursor drops your skill; the other agents drop none.');
    assert.equal(told({ a: ['in-use', 'skipped', 'in-use', 'skipped'] }), 'Cursor drops your skill; 2 of 3 agents drop it.');
    // The best-known that drops the most, though another drops more.
    const some = { a: ['in-use', 'skipped', 'skipped', 'skipped'], b: ['in-use', 'skipped', 'in-use', 'skipped'], c: ['in-use', 'skipped', 'in-use', 'in-use'] };
    assert.equal(told(some), 'Cursor drops 2 of your 3 skills; all 3 agents drop at least one.');
    assert.equal(told({ a: ['in-use', 'skipped', 'in-use', 'in-use'], b: used }), 'Zed drops 1 of your 2 skills; the other agents drop none.');
    // Copies are one skill; a skill of the same name in another folder is another one.
    assert.equal(told({ 'claude/a': ['in-use', 'in-use', 'in-use', 'unseen'], 'cursor/a': ['shadowed', 'shadowed', 'unseen', 'in-use'] }), 'Every agent sees your skill.');

    const { page, close } = await opened({ view: 'matrix' });
    const found = () => document.querySelector('#found').textContent;
    assert.match(await page.evaluate(found), /^Gemini CLI drops 3 of these 8 skills; \d+ of \d+ agents drop at least one\.$/);
    const tree1 = await tree('fine', { 'a/SKILL.md': '---\nname: a\ndescription: The skill a.\n---\n', 'b/SKILL.md': '---\nname: b\ndescription: The skill b.\ndisable-model-invocation: true\n---\n' });
    await choose(page, tree1);
    await shows(page, found, 'Every agent sees all 2 skills.', 'none loses');
    await choose(page, skills);
    const given = await printed('agentskills', roots(skills), 'matrix', '--dialects', 'all');
    const about = async name => (await printed(name, [], 'dialect', name)).about;
    const all = new Map(await Promise.all(given.dialects.map(async name => [name, { name, about: await about(name) }])));
    const { agents, sum } = dropped(given, all);
    assert.equal(sum, given.rows.length);
    assert.equal(agents.length, given.dialects.length - 1);
    const lacks = ({ state }) => ['skipped', 'shadowed', 'left-out', 'unseen'].includes(state);
    for (const { name, drops } of agents) {
      const expected = given.rows.filter(({ cells }) => lacks(cells[name]) && Object.values(cells).some(cell => !lacks(cell)));
      assert.equal(drops, expected.length, name);
    }
    const losing = agents.filter(({ drops }) => drops).length;
    await shows(page, () => /^(.+) drops (\d+) of your (\d+) skills; (\d+) of (\d+) agents drop at least one\.$/.exec(document.querySelector('#found').textContent)?.slice(2),
      [Math.max(...agents.filter(({ isKnown }) => isKnown).map(({ drops }) => drops)), sum, losing, agents.length].map(String), 'what the command line prints');
    // In another view, too.
    await page.click('#tab-prompt');
    await page.fill('#programs', 'git');
    await quiet(page);
    await shows(page, () => / drops \d+ of your /.test(document.querySelector('#found').textContent), true, 'in another view');
    await close();
  },

  async 'the promise stands where a folder is chosen, and the legend above the whole width of the matrix'() {
    for (const width of [1400, 1000, 390]) {
      const { page, close } = await opened({ view: 'matrix', viewport: { width, height: 900 } });
      assert.match(await page.textContent('#source'), /Your files never leave this browser\./);
      const places = await page.evaluate(() => ['.legend', '.matrix', '#result'].map(name => document.querySelector(name).getBoundingClientRect()).map(({ left, right, top }) => ({ left, right, top })));
      const [legend, matrix, pane] = places;
      assert.ok(legend.top < matrix.top, 'above');
      assert.ok(Math.abs(matrix.left - pane.left) <= 1 && Math.abs(matrix.right - pane.right) <= 1, `${width}: ${JSON.stringify(places)}`);
      await close();
    }
  },

  async 'an open cell of the matrix is in the address, and a link opens at it'() {
    const { page, close } = await opened({ view: 'matrix' });
    await page.locator('.cell[data-cell="zed /skills/clean/SKILL.md"]').click();
    await page.waitForFunction(() => location.hash.includes('cell='));
    const fragment = await page.evaluate(() => location.hash);
    const reason = () => [document.querySelector('.more-of-it:not([hidden]) p')?.textContent, document.querySelectorAll('[aria-expanded="true"]').length, document.querySelector('[aria-expanded="true"]')?.dataset.cell];
    const before = await page.evaluate(reason);
    assert.match(before[0], /^the frontmatter is not valid YAML/);
    // It stays open when the rows are drawn anew, until it is closed.
    await page.fill('#filter', 'clean');
    await shows(page, () => document.querySelectorAll('.matrix tbody tr:not(.more-of-it)').length, 1, 'one row');
    assert.deepEqual(await page.evaluate(reason), before);
    await page.locator('.cell[aria-expanded="true"]').click();
    await shows(page, () => location.hash, '#filter=clean', 'closed');
    await close();
    for (const options of [{}, { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }]) {
      const linked = await opened({ fragment, ...options });
      assert.deepEqual(await linked.page.evaluate(reason), before);
      assert.ok(await linked.page.locator('.cell[aria-expanded="true"]').isVisible());
      const { top, bottom } = await linked.page.evaluate(() => document.querySelector('.more-of-it:not([hidden])').getBoundingClientRect());
      assert.ok(top > 0 && bottom < 900, `${top} to ${bottom}`);
      await linked.close();
    }
    // A path that is not there opens nothing.
    const other = await opened({ fragment: '#cell=zed%20nothing/SKILL.md' });
    assert.deepEqual(await other.page.evaluate(() => [document.querySelectorAll('[aria-expanded="true"]').length, document.querySelector('#notice').hidden]), [0, true]);
    await other.close();
  },

  async 'a link is copied, and what it has is said'() {
    const { page, close, context } = await opened({ view: 'matrix' });
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
    const copied = async said => {
      await page.click('#share');
      await shows(page, () => document.querySelector('#shared').textContent, said, 'said');
      const link = await page.evaluate(() => navigator.clipboard.readText());
      assert.equal(link, page.url());
      return link;
    };
    await page.click('#tab-prompt');
    await quiet(page);
    assert.equal(await copied('The link is copied. It opens what you see here.'), `${origin}/#view=prompt`);
    await page.click('#write');
    await page.fill('#writing-text', '---\nname: tea\ndescription: Tea.\n---\n');
    await page.click('#writing button.first');
    await quiet(page);
    // What was said before counts no more.
    assert.equal(await page.textContent('#shared'), '');
    const link = await copied('The link is copied. It opens what you see here.');
    assert.match(link, /text=/);
    const linked = await opened({ fragment: link.slice(origin.length + 1) });
    await shows(linked.page, () => document.querySelector('[aria-label="The prompt"]')?.textContent.includes('tea'), true, 'the text');
    await linked.close();
    await choose(page, skills);
    await copied('The link is copied. It opens this view without your files.');
    await page.evaluate(() => { navigator.clipboard.writeText = () => Promise.reject(new DOMException('not allowed')); });
    await page.click('#share');
    await shows(page, () => document.querySelector('#shared').textContent, 'The browser does not allow copying here: copy the address of the page instead.', 'not copied');
    await page.click('#about-it');
    const commands = await page.textContent('#install');
    for (const command of ['cargo install --path src/cli', 'npx skilltree', 'pip install skilltree-engine', 'skilltree help', 'cargo doc --open']) assert.ok(commands.includes(command), command);
    await page.click('#install button');
    assert.equal(await page.isVisible('#install'), false);
    await close();
  },

  async 'the words that differ are marked'() {
    const { differing } = await import(pathToFileURL(join(site, 'words.mjs')));
    const cut = (text, places) => places.map(([start, end]) => [...text].slice(start, end).join(''));
    const words = (a, b) => differing(a, b).map((places, side) => cut([a, b][side], places));
    assert.deepEqual(words('the same', 'the same'), [[], []]);
    assert.deepEqual(words('', ''), [[], []]);
    assert.deepEqual(words('', 'all new'), [[], ['all new']]);
    assert.deepEqual(words('Brews tea.', 'Brews hot tea.'), [[], ['hot']]);
    assert.deepEqual(words('one two three four', 'one 2 three 4'), [['two', 'four'], ['2', '4']]);
    assert.deepEqual(words('a b c d', 'b c d a'), [['a'], ['a']]);
    assert.deepEqual(words('🫖 tea ☕ now', '🫖 tea näw now'), [['☕'], ['näw']]);
    assert.deepEqual(words('<tea>now</tea>', '<tea>then</tea>'), [['now'], ['then']]);
    // Where no word differs, the blanks do.
    assert.deepEqual(words('line\nnext', 'line next'), [['line\nnext'], ['line next']]);
    assert.deepEqual(words('line\nnext one', 'line next two'), [['one'], ['two']]);
    // What is too long to compare is marked from the first difference to the last.
    const long = word => `same ${Array.from({ length: 2000 }, (_, at) => `${word}${at % 7}`).join(' ')} end`;
    const [[left], [right]] = words(long('a'), long('b'));
    assert.deepEqual([left, right], [long('a').slice(5, -4), long('b').slice(5, -4)]);

    const root = await tree('worded', { 'tea/SKILL.md': '---\nname: tea\ndescription: "Makes tea."\n---\nBoil ${CLAUDE_SKILL_DIR}/water for $ARGUMENTS.\n', 'clean/SKILL.md': '---\nname: clean\ndescription: Use after a pot: rinses it.\n---\nRinse the pot.\n' });
    const { page, close } = await opened();
    await choose(page, root);
    await page.click('#side');
    await page.selectOption('#dialect-0', 'agentskills');
    await page.selectOption('#dialect-1', 'opencode');
    // Without what is marked, both columns have the same text.
    const compared = selector => page.evaluate(selector => [...document.querySelectorAll('.pairs tbody')].map(body => [...body.rows[1].cells].map(cell => cell.querySelector(selector)))
      .filter(([a, b]) => a && b && a.textContent !== b.textContent).map(both => both.map(one => {
        const rest = one.cloneNode(true);
        rest.querySelectorAll('mark').forEach(mark => mark.remove());
        return [one.textContent, rest.textContent.replace(/\s+/g, '')];
      })), selector);
    let texts = 0;
    const areMarked = async selector => {
      for (const [[left, a], [right, b]] of await compared(selector)) {
        texts += 1;
        assert.ok(left !== right && a === b, JSON.stringify([left, right, a, b]));
      }
    };
    await quiet(page);
    await areMarked('.line + p > span');
    for (const dialect of ['claude', 'gemini', 'sven']) {
      await page.selectOption('#dialect-1', dialect);
      await page.click('#tab-skills');
      await quiet(page);
      await areMarked('.line + p > span');
      await page.click('#tab-prompt');
      await quiet(page);
      await areMarked('pre');
      await page.click('#tab-skills');
      await quiet(page);
      await page.locator('.pairs .opener[data-path$="/tea/SKILL.md"]').click();
      await quiet(page);
      await areMarked('pre');
    }
    assert.ok(texts >= 6, String(texts));
    // One dialect alone has no marks.
    await page.click('#side');
    await quiet(page);
    assert.equal(await page.locator('#result mark').count(), 0);
    await close();
  },

  async 'the names are there before the full module is, and nothing else'() {
    if (!(await readdir(site)).includes('skilltree-slim.wasm')) {
      console.log('  skipped: no skilltree-slim.wasm on the page');
      return;
    }
    let open;
    gate = new Promise(done => { open = done; });
    const from = asked.length;
    const { page, close } = await opened({ isWaiting: false });
    try {
      await page.waitForFunction(() => document.querySelector('#version').textContent && document.querySelector('#result li'));
      const modules = () => asked.slice(from).filter(name => name.endsWith('.wasm'));
      // The names may be there before the browser asks for the other module.
      for (const end = Date.now() + WAIT_MS; modules().length < 2 && Date.now() < end;) await new Promise(done => setTimeout(done, 30));
      assert.deepEqual(modules(), ['/skilltree-slim.wasm', '/skilltree.wasm']);
      const found = await page.textContent('#found');
      assert.match(found, /^8 SKILL\.md files found; comparing \d+ agents…$/);
      const shown = () => [[...document.querySelectorAll('#result li')].map(item => item.textContent.trim()), document.querySelectorAll('#result :is(table, .chip, .finding, .refused)').length, document.querySelector('#pane').hasAttribute('aria-busy'), document.querySelector('#sum').textContent];
      const early = [['brew brew/SKILL.md', 'steep brew/steep/SKILL.md', 'clean/SKILL.md', 'errand errand/SKILL.md', 'old-brew/SKILL.md', 'pour pour/SKILL.md', 'stock stock/SKILL.md', 'unfinished/SKILL.md'], 0, true, ''];
      assert.deepEqual(await page.evaluate(shown), early);
      // Nor in another view.
      await page.click('#tab-findings');
      await shows(page, shown, early, 'findings');
      await page.click('#tab-matrix');
      await shows(page, shown, early, 'the matrix');
      open();
      await quiet(page);
      await shows(page, () => / drops /.test(document.querySelector('#found').textContent), true, 'the sentence');
      assert.equal((await page.evaluate(READ.matrix)).length, 8);
      assert.equal(await page.textContent('#found').then(text => text.match(/of (\d+) agents/)[1]), found.match(/comparing (\d+)/)[1]);
    } finally {
      open();
      gate = Promise.resolve();
    }
    await close();
  },

  async 'without a slim module the page works with the full one'() {
    const lone = join(folder, 'lone.wasm');
    alone = join(folder, 'alone');
    await cp(join(site, 'skilltree.wasm'), lone);
    // What an earlier run has left there is none of this page.
    await mkdir(alone);
    await writeFile(join(alone, 'skilltree-slim.wasm'), '');
    const make = resolve(import.meta.dirname, '../../src/wasm/page/make');
    await new Promise((done, fail) => execFile(make, [alone], { env: { ...process.env, SKILLTREE_WASM: lone } }, error => error ? fail(error) : done()));
    const from = asked.length;
    const { page, close } = await opened({ fragment: ALONE.slice(1) });
    assert.deepEqual(asked.slice(from).filter(name => name.endsWith('.wasm')), [`${ALONE}skilltree.wasm`]);
    assert.equal((await page.evaluate(READ.matrix)).length, 8);
    await close();
  },

  async 'a text is judged as one types, as the command line judges it, and corrected'() {
    const text = '---\nname: clean\ndescription: Use after a pot: rinses it.\nallowed-toolz: Read\n---\nRinse with hot water.\n';
    const root = await tree('draft', { 'clean/SKILL.md': text });
    const { page, close } = await opened({ view: 'matrix' });
    await page.click('#write');
    assert.match(await page.textContent('#writing-result'), /^Write or paste the text/);
    const judged = async (text, root) => {
      const [{ findings }, { dialects, rows: [{ cells }] }] = [await printed('agentskills', roots(root), 'check'), await printed('agentskills', roots(root), 'matrix', '--dialects', 'all')];
      const names = new Map(await Promise.all(dialects.map(async name => [name, (await printed(name, [], 'dialect', name)).about.match(/^[^:]+(?=:)/)?.[0]])));
      const agents = dialects.filter(name => names.get(name));
      const takes = agents.filter(name => ['in-use', 'name-only', 'hidden'].includes(cells[name].state)).length;
      const states = { 'in-use': 'in use', hidden: 'hidden', skipped: 'skipped' };
      const verdicts = dialects.map(name => [names.get(name) ?? name, [states[cells[name].state], ...cells[name].repaired ? ['only thanks to a repair'] : []].join(), cells[name].state === 'in-use' ? '' : plain(cells[name].message.replaceAll(`\`${name}\``, 'the agent'))]);
      await shows(page, () => document.querySelector('#writing-sum').textContent, `${takes} of ${agents.length} agents take it; ${findings.length} ${findings.length === 1 ? 'finding' : 'findings'}`, 'the sum');
      await shows(page, () => [...document.querySelectorAll('#writing-result .outcomes li')].flatMap(item => item.querySelector('.line > :last-child').textContent.split(', ').map(name => [name, [...item.querySelectorAll('.chip')].map(chip => chip.textContent).join(), item.querySelector('p')?.textContent ?? ''])).sort(), verdicts.sort(), 'each agent');
      const expected = findings.map(({ severity, code, line, column, message }) => [severity, code, `line ${line}, column ${column}`, plain(message)]);
      await shows(page, () => [...document.querySelectorAll('#writing-result .finding')].map(one => [...[...one.querySelector('.line').children].map(part => part.textContent), one.querySelector('p').textContent]), expected, 'findings');
      assert.equal(await page.inputValue('#writing-text'), text);
      return findings;
    };
    await page.fill('#writing-text', text);
    const findings = await judged(text, root);
    assert.ok(findings.length === 2 && findings.every(({ fix }) => fix), JSON.stringify(findings));
    assert.deepEqual(await page.evaluate(() => [document.querySelector('#gutter').textContent, [...document.querySelectorAll('#gutter span')].map(line => line.textContent.trim() + line.className)]), ['1\n2\n3\n4\n5\n6\n7\n', ['3warning', '4warning']]);
    // From a finding to its place in the text.
    await page.click('#writing-result .finding .opener');
    assert.deepEqual(await page.evaluate(() => [document.activeElement.id, document.activeElement.selectionStart]), ['writing-text', text.indexOf(': rinses')]);
    // The correction is applied, and can be undone.
    const [{ fix }] = findings;
    await page.click('#writing-result .apply');
    const mended = text.replace('description: Use after a pot: rinses it.', fix.with);
    await judged(mended, await tree('mended', { 'clean/SKILL.md': mended }));
    await page.focus('#writing-text');
    await page.keyboard.press('Control+z');
    await judged(text, root);
    // All corrections are applied together, and undone together.
    assert.equal(await page.textContent('#writing-result .all'), 'Apply all 2');
    await page.click('#writing-result .all');
    const all = findings.reduce((lines, { fix }) => lines.with(fix.line - 1, fix.with), text.split('\n')).join('\n');
    assert.equal(await page.inputValue('#writing-text'), all);
    await judged(all, await tree('all', { 'clean/SKILL.md': all }));
    assert.equal(await page.locator('#writing-result .all').count(), 0);
    await page.focus('#writing-text');
    await page.keyboard.press('Control+z');
    await judged(text, root);
    // A correction of a text that has changed since is not applied.
    assert.equal(await page.evaluate(() => {
      const area = document.querySelector('#writing-text');
      area.value = `\n${area.value}`;
      area.dispatchEvent(new Event('input'));
      document.querySelector('#writing-result .apply').click();
      return area.value;
    }), `\n${text}`);
    // Corrections of several lines, and one that removes a line.
    const same = 'description: The same.\n';
    for (const [wrong, right] of [[`x\n---\nname: a\n${same}---\n`, `---\n# x\nname: a\n${same}---\n`], [`---\nname: a\n${same}${same}---\n`, `---\nname: a\n${same}---\n`]]) {
      await page.fill('#writing-text', wrong);
      await quiet(page);
      await page.click('#writing-result .apply');
      assert.equal(await page.inputValue('#writing-text'), right);
    }
    // The text is there again when the dialog is.
    await page.fill('#writing-text', `\n${text}`);
    await page.keyboard.press('Escape');
    await page.click('#write');
    assert.equal(await page.inputValue('#writing-text'), `\n${text}`);
    await page.fill('#writing-text', text);
    await page.click('#writing button.first');
    await quiet(page);
    assert.equal((await page.evaluate(READ.matrix)).length, 1);
    assert.match(await page.textContent('#found'), / drops your skill; /);
    await close();
  },

  async 'a skill of a chosen folder is edited, and the page shows what that changes'() {
    const before = '---\r\nname: tea\r\ndescription: Makes: tea.\r\n---\r\nSee [more](more.md) and [less](less.md).\r\n';
    const root = await tree('edit', { 'tea/SKILL.md': before, 'tea/more.md': 'More.\n', 'odd/SKILL.md': Buffer.from([0x2d, 0x2d, 0x2d, 0x0a, 0xff, 0x0a]) });
    const { page, close, context } = await opened();
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
    await choose(page, root);
    await page.locator('.opener[data-path$="/tea/SKILL.md"]').click();
    await page.click('#edit');
    await page.waitForSelector('#writing[open]');
    await quiet(page);
    assert.equal(await page.textContent('#writing-title'), 'Edit tea/SKILL.md');
    assert.equal(await page.isVisible('#writing-name'), false);
    assert.equal(await page.inputValue('#writing-text'), before.replaceAll('\r', ''));
    // The other files of its folder are there.
    const codes = findings => findings.filter(({ path }) => path.endsWith('/tea/SKILL.md')).map(({ code, line }) => `${code} ${line}`);
    const known = codes((await printed('agentskills', roots(root), 'check')).findings);
    assert.ok(known.length > 0, String(known));
    await shows(page, () => [...document.querySelectorAll('#writing-result .finding .line')].map(line => `${line.querySelector('code').textContent} ${line.querySelector('.opener').textContent.match(/\d+/)}`), known, 'findings');
    await page.locator('#writing-result .apply').first().click();
    await quiet(page);
    const after = before.replace('Makes: tea.', '"Makes: tea."');
    await page.click('#writing [aria-label="Copy: the text"]');
    await shows(page, () => document.querySelector('#said').textContent, 'Copied', 'copied');
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), after);
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('#download')]);
    assert.deepEqual([download.suggestedFilename(), await readFile(await download.path(), 'utf8')], ['SKILL.md', after]);
    // Leaving changes nothing.
    await page.keyboard.press('Escape');
    await page.click('#edit');
    await page.waitForSelector('#writing[open]');
    assert.equal(await page.inputValue('#writing-text'), before.replaceAll('\r', ''));
    await page.fill('#writing-text', after.replaceAll('\r', ''));
    await page.click('#writing button.first');
    await shows(page, () => document.querySelector('#told').textContent.split('. ')[0], 'Edited on this page: tea/SKILL.md', 'said');
    await quiet(page);
    assert.equal(await page.textContent('#file-text'), after);
    const [skill] = (await printed('agentskills', roots(await tree('edit-after', { 'tea/SKILL.md': after })), 'list')).skills;
    await shows(page, () => document.querySelector('#result dd:nth-of-type(2)').textContent, skill.description, 'its description');
    // What is on the disk, and what was pasted, is as it was.
    assert.equal(await readFile(join(root, 'tea/SKILL.md'), 'utf8'), before);
    await page.click('#back');
    await page.click('#write');
    assert.equal(await page.inputValue('#writing-text'), '');
    await page.keyboard.press('Escape');
    await page.click('#tab-seen');
    await page.locator('.opener[data-path$="/odd/SKILL.md"]').click();
    await page.click('#edit');
    await shows(page, () => [document.querySelector('#told').textContent, document.querySelector('#writing').open], ['the file is not UTF-8, so it cannot be edited here (failed)', false], 'not UTF-8');
    // A pasted text that is edited is in the address.
    await page.click('#write');
    await page.fill('#writing-text', '---\nname: a\ndescription: One.\n---\n');
    await page.click('#writing button.first');
    await quiet(page);
    await page.click('#tab-skills');
    await page.locator('.opener').click();
    await page.click('#edit');
    await page.fill('#writing-text', '---\nname: a\ndescription: Two.\n---\n');
    await page.click('#writing button.first');
    await quiet(page);
    await page.click('#share');
    await shows(page, () => document.querySelector('#shared').textContent, 'The link is copied. It opens what you see here.', 'shared');
    const linked = await opened({ fragment: page.url().slice(origin.length + 1) });
    assert.match(await linked.page.textContent('#result'), /Two\./);
    await linked.close();
    await close();
  },

  async 'the first screen says that it is an example, and a phone shows results on it'() {
    const { page, close } = await opened({ view: 'matrix', viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
    assert.match(await page.textContent('#told'), /^This is an example\b/);
    const rows = await page.locator('.matrix tbody tr:not([hidden])').evaluateAll(all => all.filter(row => row.getBoundingClientRect().bottom <= 844).length);
    assert.ok(rows >= 2, `${rows} rows`);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    assert.match(await page.title(), /^skilltree: /);
    const said = Object.fromEntries(await page.locator('head meta[content]').evaluateAll(all => all.map(one => [one.getAttribute('name') ?? one.getAttribute('property'), one.content])));
    assert.ok(said.description.length > 50 && said.description.length < 160, said.description);
    assert.equal(said['og:description'], said.description);
    assert.equal(said['og:title'], await page.title());
    const picture = await readFile(join(site, said['og:image']));
    const [width, height] = [16, 20].map(at => picture.readUInt32BE(at));
    assert.deepEqual([said['og:image:width'], said['og:image:height']], [String(width), String(height)]);
    assert.ok(picture.length <= 120_000, `${picture.length} bytes`);
    await page.click('#example');
    await choose(page, skills);
    await shows(page, () => document.querySelector('#told').textContent.includes('example'), false, 'what was chosen is no example');
    await close();
  },

  async 'what is looked at stands in the address, and nowhere else'() {
    const { page, close } = await opened({ view: 'matrix' });
    assert.equal(await page.evaluate(() => location.hash), '');
    await page.click('#tab-skills');
    const text = `---\nname: tea-time\ndescription: Use: näw, "☕".\n---\n${'Boil & brew <b>.\n'.repeat(50)}`;
    await page.click('#write');
    await page.fill('#writing-text', text);
    await page.click('#writing button.first');
    await page.selectOption('#dialect-0', 'claude');
    await page.click('#side');
    await page.selectOption('#dialect-1', 'sven');
    await page.click('#tab-findings');
    await page.fill('#filter', 'tea time&#=%');
    await page.selectOption('#order', '-severity');
    await page.check('#differing');
    const seen = () => page.evaluate(() => [location.hash, document.querySelector('#filter').value, document.querySelector('#order').value, document.querySelector('#differing').checked,
      document.querySelector('#dialect-0').value, document.querySelector('#dialect-1').value, document.querySelector('#sum').textContent, document.querySelector('[aria-selected=true]').id, document.querySelector('#result').textContent]);
    const kept = async () => {
      const end = Date.now() + WAIT_MS;
      for (let last = ''; Date.now() < end;) {
        await new Promise(done => setTimeout(done, 500));
        const now = await page.evaluate(() => location.hash);
        if (now && now === last) return now;
        last = now;
      }
      throw new Error('the address does not come to rest');
    };
    const fragment = await kept();
    assert.ok(fragment.length < text.length, `${fragment.length} characters for ${text.length}`);
    assert.ok(!fragment.includes('Boil'), 'compressed');
    const before = await seen();
    const again = await opened({ fragment });
    await again.page.waitForFunction(() => document.querySelector('.pairs'));
    assert.equal(await again.page.inputValue('#filter'), 'tea time&#=%');
    await shows(again.page, () => document.querySelector('#notice').hidden, true, 'no notice');
    assert.deepEqual(await again.page.evaluate(() => [document.querySelector('#dialect-0').value, document.querySelector('#dialect-1').value, document.querySelector('#order').value, document.querySelector('#sum').textContent]),
      [before[4], before[5], before[2], before[6]]);
    await again.page.fill('#filter', '');
    await again.page.uncheck('#differing');
    await again.page.locator('.opener').first().click();
    await again.page.locator('#file summary').click();
    await shows(again.page, () => document.querySelector('#file-text').textContent, text, 'the text, letter by letter');
    // An opened skill, a message and a budget are there too, and an address that is changed by hand counts.
    await again.page.evaluate(() => { location.hash = 'dialect=gencode&view=message&message=%2Fbrew%20it'; });
    await shows(again.page, () => [document.querySelector('#dialect-0').value, document.querySelector('#message').value, document.querySelectorAll('.pairs').length], ['gencode', '/brew it', 0], 'by hand');
    await again.close();
    const third = await opened({ fragment: '#skill=brew%2FSKILL.md&dialect=claude' });
    await shows(third.page, () => document.querySelector('#what').textContent, 'brew/SKILL.md in claude', 'the skill');
    await third.close();
    for (const path of asked) assert.ok(!path.includes('tea') && !path.includes('#'), path);
    // What is too long for an address is left out, and that is said.
    await page.click('#write');
    const noise = Array.from({ length: 60_000 }, (_, at) => String.fromCharCode(33 + at * 7919 % 89 * (at % 13 + 1) % 90)).join('') + [...Array(40_000)].map(() => Math.random().toString(36)[2]).join('');
    await page.fill('#writing-text', noise);
    await page.click('#writing button.first');
    await shows(page, () => [document.querySelector('#notice').textContent.includes('too long for the address'), location.hash.includes('text=')], [true, false], 'too long');
    await close();
  },

  async 'a hostile or broken fragment is ignored, and that is said'() {
    const packed = text => deflateRawSync(text).toString('base64url');
    const bad = [
      ['#dialect=nope', 'invalid value nope for dialect'],
      ['#view=__proto__', 'invalid value __proto__ for view'],
      ['#__proto__=x', 'unknown setting __proto__'],
      ['#constructor=x', 'unknown setting'],
      ['#<img src=x onerror=alert(1)>', 'unknown setting'],
      ['#dialect=claude&dialect=sven', 'duplicate setting dialect'],
      ['#order=evil', 'for order'],
      ['#budget=-1', 'for budget'],
      ['#budget=1e99', 'for budget'],
      ['#skill=../../etc/passwd', 'for skill'],
      ['#bodies=yes', 'for bodies'],
      ['#cell=nope brew/SKILL.md', 'for cell'],
      ['#cell=claude ../SKILL.md', 'for cell'],
      [`#filter=${'f'.repeat(1001)}`, 'for filter'],
      [`#text=${'A'.repeat(40_000)}`, 'expected at most 32000'],
      ['#text=%%%', 'the text in it is damaged or truncated'],
      ['#text=AAAA', 'the text in it is damaged or truncated'],
      [`#text=${packed('---\nname: a\n---\n').slice(0, -4)}`, 'the text in it is damaged or truncated'],
      [`#text=${packed(Buffer.from([0xff, 0xfe, 0x80]))}`, 'the text in it is damaged or truncated'],
      [`#text=${packed(Buffer.alloc(2 ** 24))}`, 'the text in it is larger than 262144 bytes'],
    ];
    const isTold = (told, why) => told.startsWith('The part of the address after # is ignored: ') && told.includes(why) && told.length < 300;
    const example = page => page.evaluate(() => [document.querySelector('#told').textContent.slice(0, 18), document.querySelector('#dialect-0').value, document.querySelectorAll('main img').length]);
    // One of each kind in a link, and all in the address of a page that is open.
    for (const [fragment, why] of [bad[0], bad[2], bad[4], bad.at(-1)]) {
      const { page, close } = await opened({ fragment });
      const told = await page.textContent('#notice');
      assert.ok(isTold(told, why), `${fragment.slice(0, 60)}: ${told}`);
      assert.deepEqual(await example(page), ['This is an example', 'agentskills', 0]);
      await close();
    }
    const { page, close } = await opened();
    for (const [fragment, why] of bad) {
      await page.evaluate(fragment => {
        document.querySelector('#notice').hidden = true;
        location.hash = fragment;
      }, fragment);
      await page.waitForSelector('#notice:not([hidden])');
      const told = await page.textContent('#notice');
      assert.ok(isTold(told, why), `${fragment.slice(0, 60)}: ${told}`);
      assert.deepEqual(await example(page), ['This is an example', 'agentskills', 0]);
    }
    // Also where the page has just written its own state to the address.
    await page.evaluate(() => {
      document.querySelector('#notice').hidden = true;
      location.hash = 'dialect=nope';
      history.replaceState(null, '', '#view=skills');
    });
    await page.waitForSelector('#notice:not([hidden])');
    assert.match(await page.textContent('#notice'), /invalid value nope for dialect/);
    await close();
  },

  async 'axe finds nothing, in three looks and sixteen states'() {
    const looks = { light: { colorScheme: 'light' }, dark: { colorScheme: 'dark' }, phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true } };
    for (const [look, options] of Object.entries(looks)) {
      const { page, close } = await opened({ axe: true, view: 'matrix', ...options });
      const states = {
        matrix: () => page.locator('.cell').first().click(),
        'two columns': async () => {
          await page.click('#side');
          await page.locator('.cell').first().click();
        },
        skills: async () => {
          await page.click('#side');
          await page.click('#tab-skills');
          await page.click('.found');
        },
        search: () => page.click('#tab-search'),
        hits: () => searched(page, 'tea'),
        prompt: () => page.click('#tab-prompt'),
        message: async () => {
          await page.click('#tab-message');
          await page.fill('#message', '/brew green tea');
        },
        findings: () => page.click('#tab-findings'),
        seen: () => page.click('#tab-seen'),
        skill: async () => {
          await page.click('#tab-skills');
          await page.locator('.opener').first().click();
        },
        'side by side': async () => {
          await page.click('#back');
          await page.click('#side');
        },
        'left out': async () => {
          // What is said of the address would be gone as soon as the folder is read.
          await page.setInputFiles('#folder', project);
          await shows(page, () => document.querySelector('#root').value, `/${project.split('/').pop()}`, 'the folder is taken');
          await quiet(page);
          await page.evaluate(() => { document.querySelector('#how').open = true; });
          await page.evaluate(() => { location.hash = 'dialect=nope'; });
          await page.waitForSelector('#notice:not([hidden])');
        },
        writing: () => page.click('#write'),
        editor: () => page.fill('#writing-text', '---\nname: a\ndescription: Use: it.\nallowed-toolz: Read\n---\n'),
        'an edited file': async () => {
          await page.click('#writing [value=leave]');
          await page.click('#tab-skills');
          await page.locator('.pairs .opener').first().click();
          await page.click('#edit');
          await page.waitForSelector('#writing[open]');
        },
        install: async () => {
          await page.keyboard.press('Escape');
          await page.click('#about-it');
        },
      };
      assert.equal(Object.keys(states).length, 16);
      for (const [name, reach] of Object.entries(states)) {
        await quiet(page);
        await reach();
        await quiet(page);
        const found = await page.evaluate(async () => (await window.axe.run()).violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`));
        assert.deepEqual(found, [], `${look}, ${name}`);
        const levels = await page.locator('h1, h2, h3, h4, h5, h6').evaluateAll(all => all.filter(head => head.checkVisibility()).map(head => Number(head.tagName[1])));
        assert.ok(levels[0] === 1 && levels.every((level, at) => at === 0 || level <= levels[at - 1] + 1), `${look}, ${name}: ${levels}`);
      }
      await close();
    }
  },

  async 'every control has a name, and every view is readable in light, dark and at 360 pixels'() {
    const long = await tree('long', {
      [`${'w'.repeat(60)}/SKILL.md`]: `---\nname: ${'w'.repeat(60)}\ndescription: ${'long'.repeat(200)}\nallowed-tools: ${'Tool'.repeat(60)}\n---\n${'x'.repeat(600)}\n`,
      'mended/SKILL.md': `---\nname: mended\ndescription: Use: ${'u'.repeat(300)}\n---\n`,
    });
    for (const colorScheme of ['light', 'dark']) {
      for (const width of [1200, 360]) {
        const { page, close } = await opened({ colorScheme, viewport: { width, height: 740 } });
        const dark = await page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number)[0] < 128);
        assert.equal(dark, colorScheme === 'dark');
        for (const root of [null, long]) {
          if (root) await choose(page, root);
          await page.click('#tab-matrix');
          await quiet(page);
          await page.locator('.cell').first().click();
          assert.deepEqual(await page.evaluate(unreadable), [], `${colorScheme} ${width} all dialects ${root ?? 'example'}`);
          if (shots) await page.screenshot({ path: join(shots, `${colorScheme}-${width}-all-${root ? 'long' : 'example'}.png`), fullPage: true });
          await page.click('#tab-search');
          await searched(page, 'tea mended');
          assert.deepEqual(await page.evaluate(unreadable), [], `${colorScheme} ${width} hits ${root ?? 'example'}`);
          if (shots) await page.screenshot({ path: join(shots, `${colorScheme}-${width}-hits-${root ? 'long' : 'example'}.png`), fullPage: true });
          await page.click('#side');
          for (const view of ['matrix', 'skills', 'search', 'prompt', 'message', 'findings', 'seen', 'skill']) {
            await page.click(`#tab-${view === 'skill' ? 'skills' : view}`);
            if (view === 'search') await searched(page, 'tea mended');
            if (view === 'skill') await page.locator('.opener').first().click();
            if (view === 'message') await typed(page, '/brew green tea');
            await quiet(page);
            const label = `${colorScheme} ${width} ${view} ${root ?? 'example'}`;
            assert.deepEqual(await page.evaluate(unreadable), [], label);
            if (shots) await page.screenshot({ path: join(shots, `${label.replaceAll(/[^a-z0-9]+/g, '-').replace(/-tmp.*/, '-long')}.png`), fullPage: true });
          }
          await page.click('#side');
        }
        for (const [name, button] of [['editor', '#write'], ['install', '#about-it']]) {
          await page.click(button);
          if (name === 'editor') await page.fill('#writing-text', `---\nname: tea\ndescription: Use: ${'it '.repeat(200)}\nallowed-toolz: Read\n---\n`);
          await quiet(page);
          assert.deepEqual(await page.evaluate(unreadable), [], `${colorScheme} ${width} ${name}`);
          if (shots) await page.screenshot({ path: join(shots, `${colorScheme}-${width}-${name}.png`) });
          await page.keyboard.press('Escape');
        }
        await close();
      }
    }
  },

  async 'a hostile SKILL.md is text and nothing else'() {
    const evil = '<img src=x onerror="window.hit=1"><script>window.hit=1</script><svg onload="window.hit=1"><a href="javascript:window.hit=1">';
    const root = await tree('hostile', {
      'evil/SKILL.md': `---\nname: '${evil}'\ndescription: '${evil}'\nallowed-tools: '${evil}'\nargument-hint: '${evil}'\nlicense: '${evil}'\n${evil}: '${evil}'\n---\n${evil}\n`,
      'broken/SKILL.md': `---\nname: broken\ndescription: now: ${evil}\n---\n${evil}\n`,
      '<img src=x onerror=alert(1)>/SKILL.md': `---\nname: folder\ndescription: ${evil}\n---\n`,
      'evil/scripts/<b onclick=alert(1)>.sh': 'true\n',
    });
    const { page, close } = await opened();
    page.on('dialog', () => assert.fail('a script of a file runs'));
    await page.evaluate(() => { window.broken = []; document.addEventListener('securitypolicyviolation', event => window.broken.push(event.violatedDirective)); });
    await choose(page, root);
    await page.click('#side');
    for (const dialect of await page.locator('#dialect-0 option').allTextContents()) {
      await page.selectOption('#dialect-0', dialect);
      for (const view of ['matrix', 'skills', 'search', 'prompt', 'message', 'findings', 'seen', 'skill']) {
        await page.click(`#tab-${view === 'skill' ? 'skills' : view}`);
        if (view === 'search') await searched(page, evil);
        if (view === 'message') await typed(page, `/evil ${evil}`);
        await quiet(page);
        if (view === 'skill') {
          if (!await page.locator('.opener').count()) continue;
          await page.locator('.opener').first().click();
          await quiet(page);
        }
        const seen = await page.evaluate(() => ({
          hit: window.hit ?? null,
          broken: window.broken,
          elements: [...document.querySelectorAll('main img, main script, main svg, main a, main iframe, main b, main [onclick], main [onerror], main [onload]')].length,
        }));
        assert.deepEqual(seen, { hit: null, broken: [], elements: 0 }, `${dialect} ${view}`);
      }
    }
    await page.selectOption('#dialect-0', 'claude');
    await page.locator('#tab-skills').click();
    await page.locator('.opener[data-path$="evil/SKILL.md"]').first().click();
    await shows(page, () => document.querySelector('[aria-label="Loaded text"]')?.textContent.includes('<script>window.hit=1</script>'), true, 'it is shown as it is');
    await page.locator('#file summary').click();
    assert.ok((await page.textContent('#file-text')).includes(evil));
    // Markup that got in by a mistake of the page's own would not run either.
    await page.evaluate(() => { document.body.insertAdjacentHTML('beforeend', '<div onclick="window.hit=1" id="slip"></div>'); document.getElementById('slip').click(); });
    await page.evaluate(() => fetch('https://example.org/').catch(() => null));
    await shows(page, () => [window.hit ?? null, window.broken], [null, ['script-src-attr', 'connect-src']], 'the policy holds');
    const fetched = await page.workers()[0].evaluate(() => fetch('https://example.org/').then(() => 'fetched', error => error.name));
    assert.equal(fetched, 'TypeError');
    await assert.rejects(close, error => {
      assert.deepEqual(error.actual.outside, []);
      return error.actual.wrong.every(text => text.includes('Content Security Policy'));
    });
  },

  async 'it works without a network, and asks for nothing once it is there'() {
    const { page, close, context } = await opened();
    const files = new Set(asked);
    for (const name of [...files].filter(name => !name.startsWith(ALONE))) assert.match(name, /^\/[a-z.-]+$/);
    const before = asked.length;
    await context.setOffline(true);
    await choose(page, skills);
    await page.click('#side');
    await page.selectOption('#dialect-1', 'pegasus');
    await page.click('#tab-prompt');
    await quiet(page);
    assert.match(await page.textContent('.pairs thead th:nth-child(2)'), /skills shown/);
    // The browser fetches the icon when it has nothing better to do, which may be after the page is there, or never.
    assert.deepEqual(asked.slice(before).filter(name => name !== '/icon.svg'), []);
    await close();
  },

  async 'what cannot be is said'() {
    const { page, close } = await opened();
    await page.locator('#how > summary').click();
    await page.fill('#root', 'skills/../x');
    await page.press('#root', 'Tab');
    await shows(page, () => document.querySelector('#told').className, 'refused', 'a path that is none');
    await page.fill('#root', '/skills');
    await page.press('#root', 'Tab');
    await shows(page, () => document.querySelector('#told').className, '', 'one that is');
    await page.fill('#permissions', 'everything');
    await shows(page, () => document.querySelector('#result').textContent.includes('is not a permission'), true, 'a permission that is none');
    await page.fill('#permissions', '');
    await choose(page, nowhere);
    await shows(page, () => document.querySelector('#result').textContent, `No skills. agentskills searched ${nowhere}.`, 'nothing there');
    await page.selectOption('#kind', 'project');
    await shows(page, () => /searched .*\.claude\/skills/.test(document.querySelector('#result').textContent), true, 'where it looked');
    const skill = '---\nname: a\ndescription: The skill a.\n---\n';
    await page.selectOption('#dialect-0', 'claude');
    await choose(page, await tree('deep', { 'one/skills/a/SKILL.md': skill, 'two/skills/b/SKILL.md': skill, 'two/skills/c/SKILL.md': skill }));
    await shows(page, () => document.querySelector('#result').textContent.split('. ').at(-1), 'There are 3 SKILL.md files in two/skills, one/skills: choose that folder, or another way to read this one under Options.', 'where they are');
    await close();
  },

  async 'two thousand skills leave the page free'() {
    const files = {};
    for (let index = 0; index < 2000; index += 1) {
      const name = `skill-${String(index).padStart(4, '0')}`;
      files[`${name}/SKILL.md`] = `---\nname: ${name}\ndescription: Does the thing ${index}: and more.\n---\n${'Text of it.\n'.repeat(40)}`;
    }
    const root = await tree('many', files);
    const { page, close } = await opened();
    await browser.startTracing(page, { categories: ['toplevel', '__metadata'] });
    const start = Date.now();
    await page.setInputFiles('#folder', root);
    await shows(page, () => document.querySelector('#sum').textContent, '2,000 skills, 0 not in use, 2,000 findings', 'all');
    // Comparing all agents would keep the views waiting.
    await shows(page, () => document.querySelector('#found').textContent, '2,000 SKILL.md files found.', 'not compared yet');
    const took = [Date.now() - start];
    await page.click('#side');
    for (const view of ['matrix', 'search', 'prompt', 'findings', 'seen', 'skills']) {
      const from = Date.now();
      await page.click(`#tab-${view}`);
      if (view === 'search') await searched(page, 'skill');
      await quiet(page);
      took.push(Date.now() - from);
    }
    const longest = longestTask(JSON.parse(await browser.stopTracing()).traceEvents);
    const { rows, more } = await page.evaluate(() => ({
      rows: document.querySelectorAll('.pairs tbody').length,
      more: document.querySelector('.more').textContent,
    }));
    assert.deepEqual([rows, more], [200, 'Show more (1,800)']);
    await page.locator('.more').first().click();
    assert.equal(await page.locator('.pairs tbody').count(), 400);
    console.log(`  2000 skills: ${took.join(', ')} ms a view, the longest task took ${longest} ms of the processor`);
    assert.ok(longest > 0 && longest < MAX_TASK_MS, `a task of ${longest} ms`);
    await close();
  },
};

// The processor time of the longest task on the main thread of a page, in milliseconds.
function longestTask(events) {
  const mains = events.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain');
  const onMain = ({ pid, tid }) => mains.some(main => main.pid === pid && main.tid === tid);
  const times = events.filter(event => event.tdur && onMain(event)).map(event => event.tdur / 1000);
  return Math.round(Math.max(0, ...times));
}

// Texts of too little contrast, what stands out to the side, and controls without a name; run in the page.
function unreadable() {
  const wrong = [];
  const rgb = text => {
    const [r, g, b, a = 1] = text.match(/[\d.]+/g).map(Number);
    return { r, g, b, a };
  };
  const light = ({ r, g, b }) => {
    const [x, y, z] = [r, g, b].map(value => value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const ground = element => {
    for (let one = element; one; one = one.parentElement) {
      const color = rgb(getComputedStyle(one).backgroundColor);
      if (color.a === 1) return color;
    }
    return { r: 255, g: 255, b: 255 };
  };
  for (const element of document.querySelectorAll('body *')) {
    const hasText = [...element.childNodes].some(node => node.nodeType === 3 && node.textContent.trim());
    if (!hasText || !element.checkVisibility({ contentVisibilityAuto: true, visibilityProperty: true })) continue;
    const [a, b] = [light(rgb(getComputedStyle(element).color)), light(ground(element))].sort((x, y) => y - x);
    const contrast = (a + 0.05) / (b + 0.05);
    if (contrast < 4.5) wrong.push(`${element.tagName}.${element.className} ${element.textContent.slice(0, 30)}: contrast ${contrast.toFixed(2)}`);
    const { right, left, width } = element.getBoundingClientRect();
    if (width > 1 && (right > innerWidth + 1 || left < -1)) wrong.push(`${element.tagName}.${element.className} stands out: ${left} to ${right}`);
  }
  if (document.documentElement.scrollWidth > innerWidth) wrong.push(`the page is ${document.documentElement.scrollWidth} wide of ${innerWidth}`);
  for (const control of document.querySelectorAll('button, input:not([hidden]), select, textarea')) {
    if (!control.textContent.trim() && !control.labels?.length && !control.ariaLabel) wrong.push(`${control.id} has no name`);
  }
  return wrong;
}

let failed = 0;
// ONLY has a part of the names of the cases that are wanted. SHARE is as `2/3`: of three programs that share the cases, this is the second.
const [share, shares] = (process.env.SHARE ?? '1/1').split('/').map(Number);
const wanted = Object.entries(cases).filter(([name], at) => name.includes(process.env.ONLY ?? '') && at % shares === share - 1);
for (const [name, work] of wanted) {
  try {
    await work();
    console.log(`ok ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED ${name}\n${error.stack}`);
  }
}
console.log(`page, in Chromium ${browser.version()}: ${wanted.length - failed} passed, ${failed} failed`);
await browser.close();
server.close();
await rm(folder, { recursive: true, force: true });
process.exitCode = failed ? 1 : 0;
