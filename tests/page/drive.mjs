// drive.mjs SITE RUNTIMES CHROMIUM SKILLTREE [SHOTS]: drives the page in SITE with a headless browser, and holds what it shows against
// what the command line prints for the same tree. RUNTIMES has playwright-core. Prints a line a case and the sum; pictures
// go into SHOTS. Every request but those to this machine is blocked, and is a failure.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, extname, join, resolve } from 'node:path';

const [site, runtimes, executablePath, skilltree, shots] = process.argv.slice(2).map(given => resolve(given));
const { chromium } = createRequire(join(runtimes, 'package.json'))('playwright-core');
const testdata = resolve(import.meta.dirname, '../../testdata');
const WAIT_MS = 30_000;
// How long the page may leave a key unanswered, on a slow machine.
const MAX_PAUSE_MS = 3_000;

const TYPES = { '.html': 'text/html; charset=utf-8', '.css': 'text/css', '.mjs': 'text/javascript', '.svg': 'image/svg+xml', '.wasm': 'application/wasm' };
const asked = [];
const server = createServer(async (request, response) => {
  const path = request.url === '/' ? '/index.html' : request.url;
  asked.push(path);
  try {
    const bytes = await readFile(join(site, path));
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

// A page that is ready, and what went wrong on it.
async function opened(options = {}) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, ...options });
  context.setDefaultTimeout(WAIT_MS);
  const page = await context.newPage();
  const wrong = [];
  const outside = [];
  page.on('console', message => ['error', 'warning'].includes(message.type()) && wrong.push(message.text()));
  page.on('pageerror', error => wrong.push(String(error)));
  await context.route('**', route => {
    const { hostname } = new URL(route.request().url());
    if (hostname === '127.0.0.1') return route.continue();
    outside.push(route.request().url());
    return route.abort();
  });
  await page.goto(origin);
  // Without the module there is nothing to wait for.
  await page.waitForFunction(() => document.querySelector('#version').textContent || document.querySelector('#told.refused'));
  assert.match(await page.textContent('#version'), /^Version/, await page.textContent('#told'));
  await quiet(page);
  const close = async () => {
    await context.close();
    assert.deepEqual({ wrong, outside }, { wrong: [], outside: [] });
  };
  return { page, close, context };
}

const quiet = page => page.waitForFunction(() =>
  document.querySelector('.result')?.childElementCount && !document.querySelector('[aria-busy]') && !/^(Reading|Loading)/.test(document.querySelector('#told').textContent));

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
  await page.fill('#root', root);
  await page.press('#root', 'Tab');
  await quiet(page);
}

async function typed(page, line) {
  await page.fill('#message', line);
  await page.waitForSelector('.result :is(pre, .refused)');
}

// What a pane shows, by view; run in the page.
const READ = {
  skills: () => [...document.querySelectorAll('.pane:not([hidden]) .skills tbody tr')].map(row => [...row.children].map((cell, at) => at < 4 ? cell.textContent : [...cell.children].map(chip => chip.textContent).join(', '))),
  prompt: () => [document.querySelector('[aria-label="The prompt"]')?.textContent ?? '', document.querySelector('.cost').textContent],
  seen: () => [...document.querySelectorAll('.outcomes li')].map(item => [
    item.querySelector('.opener').dataset.path, item.querySelector('.chip').textContent, ...[...item.querySelectorAll('p')].map(text => text.textContent)]),
  findings: () => [...document.querySelectorAll('.findings section')].flatMap(section => [...section.querySelectorAll('.finding')].map(finding => [
    section.querySelector('.opener').dataset.path,
    ...[...finding.querySelectorAll('.chip, .line > code, p')].map(text => text.textContent),
    [...finding.querySelectorAll('.mended .source > :last-child')].map(line => line.textContent).join('\n'),
  ])),
  message: () => [
    [...document.querySelectorAll('[aria-label="Skills that it brings"] li')].map(key => key.textContent),
    [...document.querySelectorAll('.result pre')].map(text => text.textContent).sort(),
    [...document.querySelectorAll('.result > .refused')].map(refused => refused.textContent),
  ],
  skill: () => ['What a load gives', 'What an invocation gives', 'Commands to run first'].map(label => document.querySelector(`[aria-label="${label}"]`)?.textContent ?? null)
    .concat([[...document.querySelectorAll('.result > .refused')].map(refused => refused.textContent)]),
};

const OUTCOMES = { 'in-use': 'in use', hidden: 'hidden from the model', 'left-out': 'left out of the prompt', shadowed: 'shadowed', skipped: 'skipped' };
const number = value => value.toLocaleString('en');
const characters = value => `${number(value)} ${value === 1 ? 'character' : 'characters'}`;

function costOf({ cost, budget }) {
  return budget === null ? `${characters(cost)}, and no budget` : `${number(cost)} of ${characters(budget)}${budget ? `, ${Math.floor(cost / budget * 100)} %` : ''}`;
}

function rowOf({ key, name, description, source, path, pinned, state, model, user }, outcomes) {
  const isLeftOut = outcomes.some(one => one.path === path && one.outcome === 'left-out');
  const users = model && user ? 'model and user' : model ? 'model' : user ? 'user' : 'nobody';
  return [key, name, description || '–', source, [isLeftOut && 'left out', pinned && 'pinned', state, users].filter(Boolean).join(', ')];
}

// The page in one dialect, against the command line.
async function same(page, dialect, root, where) {
  await page.selectOption('#dialect-0', dialect);
  const list = await printed(dialect, where, 'list');
  await page.click('#tab-skills');
  const { outcomes } = await printed(dialect, where, 'why', root);
  await shows(page, READ.skills, list.skills.map(skill => rowOf(skill, outcomes)), `${dialect}: list`);

  await page.click('#tab-prompt');
  for (const budget of ['', '600']) {
    await page.fill('#budget', budget);
    const prompt = await printed(dialect, where, 'prompt', ...(budget && ['--budget', budget]));
    await shows(page, READ.prompt, [prompt.text, costOf(prompt)], `${dialect}: prompt ${budget}`);
    const why = await printed(dialect, where, 'why', root, ...(budget && ['--budget', budget]));
    await page.click('#tab-seen');
    const outcomes = why.outcomes.map(({ path, outcome, message, help }) => [path, OUTCOMES[outcome], message, ...(help ? [help] : [])]);
    await shows(page, READ.seen, outcomes, `${dialect}: why ${budget}`);
    await page.click('#tab-prompt');
  }
  await page.fill('#budget', '');

  await page.click('#tab-message');
  for (const line of ['please brew a hot drink', '/brew green tea', '/nothing of this name']) {
    await page.fill('#message', line);
    const told = await printed(dialect, where, line.startsWith('/') ? 'invoke' : 'match', line);
    const texts = [told.text, told.then?.text, told.commands?.join('\n')].filter(Boolean);
    // The command line says with an error, and its exit code, that a line is an ordinary message.
    const isRefused = told.error && told.kind !== 'message';
    const refused = isRefused ? [`${told.error.message} ${told.error.code}`] : [];
    await shows(page, READ.message, [told.keys ?? [], isRefused ? [] : texts.sort(), refused], `${dialect}: ${line}`);
  }
  await page.fill('#message', '');

  await page.click('#tab-findings');
  const checked = (await printed(dialect, where, 'check')).findings;
  const place = one => [one.path, one.code, one.line].join();
  const all = [...checked, ...list.findings.filter(one => !checked.some(known => place(known) === place(one)))];
  const files = [...new Set(all.map(({ path }) => path))];
  const findings = files.flatMap(path => all.filter(one => one.path === path))
    .map(({ path, severity, code, message, help, fix }) => [path, severity, code, message, ...(help ? [help] : []), fix?.with ?? '']);
  await shows(page, READ.findings, findings, `${dialect}: findings`);

  for (const skill of list.skills) {
    await page.click('#tab-skills');
    await page.locator(`.skills .opener[data-path="${skill.path}"]`).click();
    await page.fill('#args', 'green tea');
    for (const caller of ['model', 'user']) {
      await page.selectOption('#caller', caller);
      const load = await printed(dialect, where, 'load', skill.key, '--as', caller, '--args', 'green tea');
      const invoke = skill.commands.length ? await printed(dialect, where, 'invoke', `/${skill.commands[0]} green tea`) : {};
      const refused = [load, invoke].filter(({ error }) => error).map(({ error }) => `${error.message} ${error.code}`);
      const expected = [load.text || null, (invoke.text ?? invoke.then?.text) || null, invoke.commands?.join('\n') ?? null, refused];
      await shows(page, READ.skill, expected, `${dialect}: ${skill.key} for the ${caller}`);
    }
    await page.click('#back');
  }
  return list.skills.length;
}

const cases = {
  async 'a chosen folder is seen in each dialect as the command line sees it'() {
    const { page, close } = await opened();
    await choose(page, skills);
    const dialects = await page.locator('#dialect-0 option').allTextContents();
    assert.ok(dialects.length >= 7, String(dialects));
    let compared = 0;
    for (const dialect of dialects) compared += await same(page, dialect, skills, roots(skills));
    assert.ok(compared > 20, `${compared} skills`);
    await close();
  },

  async 'skills are switched on and off as on the command line'() {
    const { page, close } = await opened();
    await choose(page, skills);
    await page.click('summary:has-text("What the host answers")');
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
    await page.fill('#root', project);
    await page.press('#root', 'Tab');
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
      const all = [skill('a'), skill('b'), never, skill('c'), dir('locked', [file('SKILL.md', null)]), skill('__proto__'), skill('d')];
      const event = new Event('drop', { bubbles: true, cancelable: true });
      event.dataTransfer = { types: ['Files'], items: [{ kind: 'string' }, { kind: 'file', webkitGetAsEntry: () => dir('mine', all) }] };
      document.body.dispatchEvent(event);
    });
    await shows(page, () => [...document.querySelectorAll('.skills tbody th')].map(head => head.textContent), ['__proto__', 'a', 'b', 'c', 'd'], 'keys');
    assert.equal(await page.inputValue('#root'), '/mine');
    assert.match(await page.textContent('.outcomes'), /locked\/SKILL\.md/);
    assert.match(await page.textContent('.result'), /it is locked/);
    await close();
  },

  async 'one skill alone and a pasted SKILL.md stand in a folder of their own'() {
    const { page, close } = await opened();
    await page.setInputFiles('#folder', join(skills, 'errand'));
    await shows(page, READ.skills, [['errand', 'errand', 'Buys leaves, apart from the conversation.', 'root', 'model and user']], 'the skill');
    await page.click('#write');
    await page.keyboard.type('---\nname: pasted-tea\ndescription: Use it: now.\n---\nBody.\n');
    await page.click('#writing button.first');
    await shows(page, READ.skills, [['pasted-tea', 'pasted-tea', 'Use it: now.', 'root', 'model and user']], 'the pasted one');
    await page.click('#tab-findings');
    await shows(page, () => document.querySelector('.mended .source > :last-child')?.textContent, 'description: "Use it: now."', 'mended');
    assert.equal(await page.textContent('.was mark'), 'U');
    await close();
  },

  async 'two dialects stand side by side, and one under the other on a phone'() {
    const { page, close } = await opened();
    await page.click('#side');
    await quiet(page);
    const boxes = () => page.locator('.pane').evaluateAll(panes => panes.map(pane => pane.getBoundingClientRect()).map(({ x, y, width }) => ({ x, y, width })));
    const [left, right] = await boxes();
    assert.ok(right.x >= left.x + left.width && left.y === right.y, JSON.stringify([left, right]));
    await page.selectOption('#dialect-1', 'sven');
    await page.locator('.pane .opener').first().click();
    await shows(page, () => [...document.querySelectorAll('.pane h3')].filter(head => head.textContent === 'On load').length, 2, 'both');
    await page.setViewportSize({ width: 360, height: 740 });
    const [above, under] = await boxes();
    assert.ok(under.x === above.x && under.y > above.y, JSON.stringify([above, under]));
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
    await tabTo(({ id }) => id === 'tab-skills');
    await page.keyboard.press('ArrowRight');
    await shows(page, () => document.activeElement.id + Boolean(document.querySelector('[aria-label="The prompt"]')), 'tab-prompttrue', 'the next tab');
    await page.keyboard.press('Home');
    await quiet(page);
    await tabTo(({ id }) => id === 'side');
    await page.keyboard.press('Space');
    await shows(page, () => document.querySelectorAll('.pane:not([hidden])').length, 2, 'two panes');
    await page.keyboard.press('Space');
    await shows(page, () => document.querySelectorAll('.pane:not([hidden])').length, 1, 'one pane');
    // A row that is drawn anew while it has the focus would lose it.
    await quiet(page);
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
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.type('words');
    await shows(page, () => document.querySelector('.result').textContent.includes(' words'), true, 'the arguments count');
    await page.keyboard.press('Escape');
    await shows(page, () => document.activeElement.textContent, second.text, 'back at the row');
    await close();
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
          await page.click('#side');
          for (const view of ['skills', 'prompt', 'message', 'findings', 'seen', 'skill']) {
            await page.click(`#tab-${view === 'skill' ? 'skills' : view}`);
            if (view === 'skill') await page.locator('.opener').first().click();
            if (view === 'message') await typed(page, '/brew green tea');
            await quiet(page);
            const label = `${colorScheme} ${width} ${view} ${root ?? 'example'}`;
            assert.deepEqual(await page.evaluate(unreadable), [], label);
            if (shots) await page.screenshot({ path: join(shots, `${label.replaceAll(/[^a-z0-9]+/g, '-').replace(/-tmp.*/, '-long')}.png`), fullPage: true });
          }
          await page.click('#side');
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
      for (const view of ['skills', 'prompt', 'message', 'findings', 'seen', 'skill']) {
        await page.click(`#tab-${view === 'skill' ? 'skills' : view}`);
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
    await shows(page, () => document.querySelector('[aria-label="What a load gives"]')?.textContent.includes('<script>window.hit=1</script>'), true, 'it is shown as it is');
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
    for (const name of files) assert.match(name, /^\/[a-z.]+$/);
    const before = asked.length;
    await context.setOffline(true);
    await choose(page, skills);
    await page.click('#side');
    await page.selectOption('#dialect-1', 'pegasus');
    await page.click('#tab-prompt');
    await quiet(page);
    assert.match(await page.textContent('.pane:nth-child(2) .sum'), /skills shown/);
    assert.equal(asked.length, before, String(asked.slice(before)));
    await close();
  },

  async 'what cannot be is said'() {
    const { page, close } = await opened();
    await page.fill('#root', 'skills/../x');
    await page.press('#root', 'Tab');
    await shows(page, () => document.querySelector('#told').className, 'refused', 'a path that is none');
    await page.fill('#root', '/skills');
    await page.press('#root', 'Tab');
    await shows(page, () => document.querySelector('#told').textContent, 'skills: 10 files, 1,140 bytes.', 'one that is');
    await page.locator('#source summary').click();
    await page.fill('#permissions', 'everything');
    await shows(page, () => document.querySelector('.result').textContent.includes('is no permission'), true, 'a permission that is none');
    await page.fill('#permissions', '');
    await choose(page, nowhere);
    await shows(page, () => document.querySelector('.result').textContent, `No skills. agentskills looked in ${nowhere}.`, 'nothing there');
    await page.selectOption('#kind', 'project');
    await shows(page, () => /looked in .*\.claude\/skills/.test(document.querySelector('.result').textContent), true, 'where it looked');
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
    await page.evaluate(() => {
      window.pause = 0;
      let last = performance.now();
      setInterval(() => {
        const now = performance.now();
        window.pause = Math.max(window.pause, now - last);
        last = now;
      }, 10);
    });
    const start = Date.now();
    await page.setInputFiles('#folder', root);
    await shows(page, () => document.querySelector('.sum').textContent, '2,000 skills, 0 not in use, 2,000 findings', 'all');
    const took = [Date.now() - start];
    await page.click('#side');
    for (const view of ['prompt', 'findings', 'seen', 'skills']) {
      const from = Date.now();
      await page.click(`#tab-${view}`);
      await quiet(page);
      took.push(Date.now() - from);
    }
    const { rows, more, pause } = await page.evaluate(() => ({
      rows: document.querySelectorAll('.pane:first-child .skills tbody tr').length,
      more: document.querySelector('.more').textContent,
      pause: Math.round(window.pause),
    }));
    assert.deepEqual([rows, more], [200, 'Show more (1,800)']);
    await page.locator('.more').first().click();
    assert.equal(await page.locator('.pane:first-child .skills tbody tr').count(), 400);
    console.log(`  2000 skills: ${took.join(', ')} ms a view, the longest pause ${pause} ms`);
    assert.ok(pause < MAX_PAUSE_MS, `a pause of ${pause} ms`);
    await close();
  },
};

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
for (const [name, work] of Object.entries(cases)) {
  try {
    await work();
    console.log(`ok ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED ${name}\n${error.stack}`);
  }
}
console.log(`page, in Chromium ${browser.version()}: ${Object.keys(cases).length - failed} passed, ${failed} failed`);
await browser.close();
server.close();
await rm(folder, { recursive: true, force: true });
process.exitCode = failed ? 1 : 0;
