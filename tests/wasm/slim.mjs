// In: the full module and the slim one. Out: nothing, or an exception: the slim module answers as the full one does for valid
// files, reports what it does not read, and says where the other calls are.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { SkillTree } from '../../src/wasm/skilltree.mjs';

const [full, slim] = process.argv.slice(2).map(file => readFileSync(file));
const tea = '---\nname: tea\ndescription: Makes tea.\n---\nBoil $ARGUMENTS.\n';
const made = files => new SkillTree({ dialect: 'claude', places: { home: '/me' }, files });
const skill = (name, text) => ({ [`/me/.claude/skills/${name}/SKILL.md`]: text });

const answers = [];
for (const module of [full, slim]) {
  await SkillTree.load(module);
  const tree = made(skill('tea', tea));
  const asked = [tree.list(), tree.prompt({ budget: 500 }), tree.load('tea', { as: 'user', args: 'water' }), tree.invoke('/tea water'), tree.why('mate')];
  answers.push(await Promise.all(asked));
}
assert.deepEqual(answers[0], answers[1]);

const codes = async files => (await made(files).list()).findings.map(finding => finding.code);
assert.deepEqual(await codes({ ...skill('tea', tea), '/me/.claude/settings.json': '{}' }), ['not-read']);
assert.deepEqual(await codes(skill('tea', '---\nname: tea\ndescription: Tea: green\n---\n')), ['yaml']);
const elsewhere = { code: 'bad-arguments', message: /`search`.*slim module.*`skilltree\.wasm`/ };
await assert.rejects(made(skill('tea', tea)).search('tea'), elsewhere);
