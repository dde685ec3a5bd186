// In: a module. Out: nothing, or an exception: how the wrapper loads it, keeps files and asks for them, and what its errors say.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { SkillTree, SkillTreeError } from '../../src/wasm/skilltree.mjs';

const url = pathToFileURL(process.argv[2]);
const bytes = readFileSync(url);
const refused = (code, message) => error => {
  assert.ok(error instanceof SkillTreeError && error instanceof Error);
  assert.equal(error.code, code);
  assert.match(error.message, message);
  return true;
};
const skill = name => `---\nname: ${name}\ndescription: About ${name}.\n---\nThe body of ${name}.\n`;
const keys = async tree => (await tree.list()).skills.map(skill => skill.key);

// Loading.
assert.throws(() => new SkillTree(), refused('not-loaded', /await SkillTree\.load/));
await assert.rejects(SkillTree.load(new Response('', { status: 404 })), refused('no-module', /404/));
await assert.rejects(SkillTree.load(new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0])), refused('wrong-module', /another module/));
for (const wasm of [url, url.href, bytes, bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length),
  new Response(bytes), Promise.resolve(new Response(bytes)), new WebAssembly.Module(bytes)]) {
  assert.equal(await SkillTree.load(wasm), SkillTree);
}
assert.match(await SkillTree.version(), /^\d+\.\d+\.\d+$/);
assert.ok((await SkillTree.dialects()).some(dialect => dialect.name === 'agentskills'));

// Wrong options.
assert.throws(() => new SkillTree({ root: '/s' }), refused('bad-arguments', /no option `root`/));
assert.throws(() => new SkillTree({ dialect: 'none' }), refused('unknown-dialect', /there are `agentskills`/));
assert.throws(() => new SkillTree({ places: { home: 'here' } }), refused('bad-path', /`here`/));
assert.throws(() => new SkillTree({ places: { hom: '/here' } }), refused('bad-arguments', /unknown field `hom`;.*`home`/));
assert.throws(() => new SkillTree({ host: { trust: 'yes' } }), refused('bad-arguments', /`trust` of `host`/));
assert.throws(() => new SkillTree({ files: { '/a': 1 } }), refused('bad-arguments', /`\/a` (is to|must) be/));

// Files that are given: each kind of content, other files in their place, and none.
const at = name => `/s/${name}/SKILL.md`;
const places = { roots: ['/s'], onlyRoots: true };
const given = new SkillTree({
  dialect: 'sven',
  places,
  files: {
    [at('text')]: skill('text'),
    [at('bytes')]: new TextEncoder().encode(skill('bytes')),
    [at('buffer').slice(1)]: new TextEncoder().encode(skill('buffer')).buffer,
    [at('view')]: new DataView(new TextEncoder().encode(`xx${skill('view')}`).buffer, 2),
    '/s/empty': null,
    '/s/linked': { link: '/elsewhere' },
    '/elsewhere/SKILL.md': skill('linked'),
  },
});
assert.deepEqual(await keys(given), ['buffer', 'bytes', 'linked', 'text', 'view']);
given.put(new Map([[at('text'), skill('text').replace('About', 'All about')]]));
given.remove('/s/linked', '/s/bytes', '/s/buffer/SKILL.md');
given.put({ [at('view')]: null });
assert.deepEqual((await given.list()).skills.map(skill => skill.description), ['All about text.']);
assert.equal((await given.load('text')).text.includes('The body of text.'), true);
await assert.rejects(given.load('txet'), refused('unknown', /did you mean `text`/));
await assert.rejects(given.load('text', { as: 'nobody' }), refused('bad-arguments', /`user` or `model`/));
await assert.rejects(given.check('/none'), refused('file-system', /does not exist/));
await assert.rejects(given.prompt({ budget: -1 }), refused('bad-arguments', /`budget` of `prompt`/));
assert.throws(() => given.forget(), refused('has-its-files', /`put`/));
assert.deepEqual(await given.why('nothing'), { asked: 'nothing', outcomes: [] });
assert.equal((await given.call({ name: 'txet' })).ok, false);
assert.deepEqual((await given.matrix({ dialects: ['claude', 'sven'] })).dialects, ['claude', 'sven']);
await assert.rejects(given.matrix({ dialects: ['latin'] }), refused('unknown-dialect', /`latin`/));
given.close();
await assert.rejects(given.list(), refused('closed', /no tree is open/));

// Many files go in several calls, and all of them arrive.
const many = new SkillTree({ dialect: 'sven', places, files: Object.fromEntries(Array.from({ length: 12_000 }, (_, i) => [at(`n${i}`), skill(`n${i}`)])) });
assert.equal((await keys(many)).length, 12_000);
many.close();
const large = new SkillTree({ dialect: 'sven', places, files: { '/a': new Uint8Array(20 << 20), '/b': new Uint8Array(20 << 20), [at('c')]: skill('c') } });
assert.deepEqual(await keys(large), ['c']);
large.close();

// Files that are asked for: what is needed, and once.
const files = new Map([[at('a'), skill('a')], ['/s/a/references/more.md', 'More.'], ['/s/a/scripts/x.sh', 'x'], [at('b/c'), skill('c')], ['/t/x', '']]);
let asked = [];
const functions = {
  list(dir) {
    asked.push(`list ${dir}`);
    const below = [...files.keys()].filter(path => path.startsWith(`${dir}/`)).map(path => path.slice(dir.length + 1));
    return below.length ? new Set(below.map(rest => rest.replace(/\/.*/, '/'))) : null;
  },
  async read(file) {
    asked.push(`read ${file}`);
    return new Blob([files.get(file)]);
  },
};
const asking = new SkillTree({ dialect: 'agentskills', places, files: functions });
assert.deepEqual(await keys(asking), ['a', 'c']);
assert.deepEqual(asked.sort(), ['list /s', 'list /s/a', 'list /s/a/references', 'list /s/a/scripts', 'list /s/b', 'list /s/b/c', 'read /s/a/SKILL.md', 'read /s/b/c/SKILL.md']);
asked = [];
assert.deepEqual((await asking.load('a')).files, ['/s/a/references/more.md', '/s/a/scripts/x.sh']);
assert.deepEqual(asked, [], 'what is known is not asked again');
assert.throws(() => asking.put({}), refused('asks-for-files', /forget/));

// What has changed is seen when it is forgotten, there and below.
files.set(at('a'), skill('a').replace('About', 'All about'));
files.set(at('b/d'), skill('d'));
assert.deepEqual(await keys(asking), ['a', 'c']);
asking.forget('/s/a');
assert.equal((await asking.list()).skills[0].description, 'All about a.');
assert.deepEqual(await keys(asking), ['a', 'c']);
asking.forget();
assert.deepEqual(await keys(asking), ['a', 'c', 'd']);

// A search sees what has changed, with bodies and without, asks for nothing that is known, and marks whole characters.
const found = async (tree, ...request) => (await tree.search(...request)).hits.map(hit => hit.key);
asked = [];
assert.deepEqual(await found(asking, 'body of d'), ['d', 'a', 'c']);
assert.deepEqual(await found(asking, 'body of d', { body: false }), ['d']);
assert.deepEqual(asked, []);
const folded = skill('d').replace('About d.', '🫖 about näw tea.');
files.set(at('b/d'), `${folded}A kettle.\n`);
assert.deepEqual(await found(asking, 'kettle', { body: true }), [], 'it is known as it was');
asking.forget('/s/b/d');
assert.deepEqual(await found(asking, 'kettle', { body: true, as: 'model', limit: 1 }), ['d']);
assert.deepEqual(asked.filter(one => one.startsWith('read')), ['read /s/b/d/SKILL.md']);
const [{ score, ...hit }] = (await asking.search('tea näw kettle', { body: false })).hits;
assert.ok(score > 0, String(score));
assert.deepEqual(hit, { key: 'd', path: at('b/d'), description: '🫖 about näw tea.', matched: ['description'], marks: [[8, 11], [12, 15]] });
// The text below alone: the frontmatter is what it was.
files.set(at('b/d'), `${folded}A samovar.\n`);
asking.forget('/s/b/d');
assert.deepEqual(await found(asking, 'samovar', { body: true }), ['d']);
assert.deepEqual(await found(asking, 'kettle', { body: true }), []);
assert.deepEqual(await found(asking, 'samovar', { body: false }), []);
// Without anything known, by a search first; and with files that are given.
asking.forget();
assert.deepEqual(await found(asking, 'samovar', { body: true }), ['d']);
const puts = new SkillTree({ dialect: 'agentskills', places, files: { [at('a')]: skill('a') } });
for (const body of [true, false]) {
  assert.deepEqual(await found(puts, 'kettle', { body }), []);
  puts.put({ [at('kettle')]: skill('kettle') });
  assert.deepEqual(await found(puts, 'kettle', { body }), ['kettle']);
  puts.remove('/s/kettle');
  assert.deepEqual(await found(puts, 'kettle', { body }), []);
}
assert.deepEqual(await puts.search(''), { query: '', hits: [] });
await assert.rejects(puts.search(), refused('bad-arguments', /`text` of `search`/));
await assert.rejects(puts.search('a', { limit: -1 }), refused('bad-arguments', /`limit` of `search`/));
await assert.rejects(puts.search('a', { body: 'yes' }), refused('bad-arguments', /`body` of `search`/));
await assert.rejects(puts.search('a', { as: 'nobody' }), refused('bad-arguments', /`as` of `search` must be `user` or `model`, not `nobody`/));
puts.close();
files.set(at('b/d'), skill('d'));
asking.forget();

// Several questions at once, and a change between question and answer.
asking.forget();
const answers = [asking.list(), asking.prompt(), asking.load('d'), asking.why('d')];
files.delete(at('b/c'));
asking.forget();
assert.equal((await answers[0]).skills.length, 2);
assert.equal((await answers[2]).key, 'd');
assert.deepEqual((await answers[3]).outcomes.map(why => why.outcome), ['in-use']);
asking.close();

// Functions that fail, or give what is no answer.
const failing = error => new SkillTree({ dialect: 'sven', places, files: { list: dir => (dir === '/s' ? ['x/'] : error()), read: error } });
const thrown = fields => () => {
  throw Object.assign(new Error('lost'), fields);
};
for (const [error, message] of [[thrown({ code: 'EACCES' }), /permission denied/], [thrown({}), /lost/], [() => [7], /an entry of `list`/], [thrown({ name: 'NotFoundError' }), /does not exist/]]) {
  const { findings, skills } = await failing(error).list();
  assert.deepEqual(skills, []);
  assert.ok(findings.every(finding => message.test(finding.message)), JSON.stringify(findings));
}
const odd = new SkillTree({ dialect: 'sven', places, files: { list: dir => (dir === '/s' ? ['x/'] : ['SKILL.md']), read: () => 7 } });
assert.match((await odd.list()).findings[0].message, /neither text nor bytes/);
const endless = new SkillTree({ dialect: 'sven', places, files: { list: () => ['x/'], read: () => null } });
await assert.rejects(endless.list(), refused('too-many-rounds', /1000 rounds/));

// Links: with `link` it is seen where they lead; without, the host follows them.
const linked = {
  '/s': [{ name: 'real', kind: 'dir' }, { name: 'again', kind: 'link' }, { name: 'lost', kind: 'link' }, { name: 'out', kind: 'link' }, { name: 'round', kind: 'link' }],
  '/s/real': ['SKILL.md', { name: 'notes.md', kind: 'link' }],
  '/o': [{ name: 'SKILL.md', isDirectory: () => false, isFile: () => false, isSymbolicLink: () => true }, 'text.md'],
};
const targets = { '/s/again': 'real', '/s/lost': 'nothing', '/s/out': '/o', '/s/round': 'round', '/s/real/notes.md': '../../o/text.md', '/o/SKILL.md': 'text.md' };
const behind = path => {
  for (const [from, to] of Object.entries(targets)) {
    if (path === from || path.startsWith(`${from}/`)) return behind(new URL(to + path.slice(from.length), `file://${from}`).pathname);
  }
  return path;
};
const fileBehind = path => (path === '/o/text.md' ? skill('out') : path === '/s/real/SKILL.md' ? `${skill('real')}See [notes](notes.md).\n` : null);
const linking = (more = {}) => new SkillTree({ dialect: 'claude', places: { roots: ['/s'], onlyRoots: true }, files: {
  list: dir => (dir.startsWith('/s/round') ? null : linked[behind(dir)] ?? null),
  read: file => (file.startsWith('/s/round') ? null : fileBehind(behind(file))),
  ...more,
} });
const seen = await linking({ link: path => targets[path] }).list();
assert.deepEqual(seen.skills.map(({ key, dir }) => [key, dir]), [['again', '/s/again'], ['out', '/s/out']]);
assert.deepEqual((await keys(linking())).sort(), ['again', 'out', 'real'], 'each folder that the host knows is one');
assert.match((await linking({ link: path => targets[path] }).why('/s/real')).outcomes[0].message, /again/);
assert.deepEqual((await keys(linking({ link: () => { throw new Error('no links here'); } }))).sort(), ['again', 'out', 'real']);
for (const broken of [{ name: 'x', kind: 'link', target: 7 }, { name: 'x', kind: 'link', target: '' }]) {
  assert.deepEqual(await keys(linking({ list: dir => (dir === '/s' ? [broken] : null) })), []);
}

// What is pending goes on once its commands have run.
const shelled = new SkillTree({ dialect: 'claude', places: { roots: ['/s'], onlyRoots: true }, host: { trust: true }, files: { '/s/now/SKILL.md': '---\ndescription: Now.\n---\nA !`date` B !`pwd` C\n' } });
const waiting = await shelled.invoke('/now');
assert.deepEqual([waiting.kind, waiting.commands], ['pending', ['date', 'pwd']]);
const resumed = SkillTree.resume(waiting, ['Friday', '/home', 'more']);
assert.equal(resumed.kind, 'inline');
assert.match(resumed.text, /A Friday B \/home C/);
assert.doesNotMatch(resumed.text, /more|!`/);
assert.match(SkillTree.resume(waiting).text, /A  B  C/);

// Entries as runtimes and browsers have them, and names that no path can have.
async function* handles() {
  yield { name: 'SKILL.md', kind: 'file' };
  yield { name: 'sub', kind: 'directory' };
  yield { name: 'a/b', kind: 'directory' };
  yield { name: '..', kind: 'directory' };
  yield { name: 'pipe', kind: 'fifo' };
}
const browser = new SkillTree({ dialect: 'sven', places: { roots: ['/'], onlyRoots: true }, files: {
  list: dir => (dir === '/s' ? handles() : dir === '/' ? [{ name: 's', isDirectory: () => true, isFile: () => false }] : []),
  read: () => new TextEncoder().encode(skill('s')),
} });
assert.deepEqual(await keys(browser), ['s']);
