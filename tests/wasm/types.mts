// Never run: the types are held against a host that uses all of them.
import { SkillTree, SkillTreeError, type FileFunctions, type Finding, type Invoked } from '../../src/wasm/skilltree.mjs';

const listed: FileFunctions = { list: dir => (dir === '/' ? ['a/', { name: 'b', kind: 'file', size: 1 }] : null), read: async () => 'text' };
declare const handle: FileSystemDirectoryHandle;
const walked: FileFunctions = { list: () => handle.values(), read: async () => (await handle.getFileHandle('a')).getFile() };

await SkillTree.load();
await SkillTree.load(fetch('skilltree.wasm'));
await SkillTree.load(new Uint8Array(0));
const names: string[] = (await SkillTree.dialects()).map(dialect => dialect.name);

const tree = new SkillTree({
  dialect: names[0],
  files: { '/a': 'text', '/b': new Uint8Array(1), '/c': null, '/d': { link: '/a' } },
  places: { project: '/', roots: ['/'], onlyRoots: true, registered: [{ id: 'x', path: '/x' }] },
  host: { trust: true, enable: ['a'], variables: { A: 'b' }, ranks: { a: 1 }, trusts: [{ path: '/a', trusted: true }] },
});
for (const files of [listed, walked, new Map([['/a', 'text']])]) new SkillTree({ files }).close();

const findings: Finding[] = [...(await tree.list()).findings, ...(await tree.check('/a', { strict: true })).findings];
const numbers: (number | null | undefined)[] = [(await tree.prompt({ budget: 1 })).budget, findings[0]?.line, (await tree.match('a')).tier];
const texts: string[] = [(await tree.load('a', { as: 'model' })).text, (await tree.tool()).name];
const invoked: Invoked = await tree.invoke('/a');
if (invoked.kind === 'inline') texts.push(invoked.text);
if (invoked.kind === 'pending') texts.push(...invoked.commands);
const called = await tree.call({ name: 'a' });
if (!called.ok) texts.push(called.error.code);
const { hits } = await tree.search('a', { limit: 1, body: true, as: 'model' });
texts.push(...hits.flatMap(hit => [hit.key, hit.path, ...hit.matched, ...hit.marks.map(([start, end]) => hit.description.slice(start, end))]));
texts.push(...(await tree.complete('a')).commands.map(command => command.name), ...(await tree.why('a')).outcomes.map(why => why.outcome));
const again = await tree.replay({ receipt: 1, answer: { digest: '', bytes: 0 } });
if (!again.same) texts.push(again.differs?.what ?? '', ...again.changed, again.digest);
const { dialects, rows } = await tree.matrix({ dialects: ['claude'], diff: true });
texts.push(...rows.map(row => row.cells[dialects[0]!]!.state));
try {
  tree.put({ '/e': 'text' });
  tree.remove('/e');
  tree.forget();
} catch (error) {
  if (error instanceof SkillTreeError) texts.push(error.code);
}
// @ts-expect-error: no such place
new SkillTree({ places: { rootz: ['/'] } });
export { numbers, texts };
