// In: a module, and how many calls it is to bear. Out: nothing, or an exception: the module never traps, answers every
// call with one JSON document, and its memory does not grow.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import process from 'node:process';

const [wasm, times] = process.argv.slice(2);
const module = new WebAssembly.Module(readFileSync(wasm));
assert.deepEqual(WebAssembly.Module.imports(module), [], 'the module imports nothing');
const { memory, skilltree_abi, skilltree_alloc, skilltree_call, skilltree_free, skilltree_len } =
  new WebAssembly.Instance(module).exports;
assert.equal(skilltree_abi(), 1);

const encoder = new TextEncoder();
// Not ours: the whole text must be UTF-8.
const decoder = new TextDecoder('utf-8', { fatal: true });

function raw(bytes) {
  const at = skilltree_alloc(bytes.length) >>> 0;
  assert.notEqual(at, 0, `there is room for ${bytes.length} bytes`);
  assert.equal(skilltree_len(at), bytes.length);
  new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
  return taken(skilltree_call(at) >>> 0);
}

function taken(at) {
  const text = decoder.decode(new Uint8Array(memory.buffer, at, skilltree_len(at)));
  skilltree_free(at);
  assert.equal(skilltree_len(at), 0, 'what is given back is gone');
  return JSON.parse(text);
}

const call = (fields, attached = []) => raw(new Uint8Array([...encoder.encode(JSON.stringify(fields)), 0, ...attached]));
const code = answer => answer.error?.code;

// Pointers that are none, and lengths that no memory has.
for (const at of [0, 1, 8, 1048576, 0x7fffffff, 0x80000000, 0xffffffff, -1]) {
  skilltree_free(at);
  assert.equal(skilltree_len(at), 0);
  assert.equal(code(taken(skilltree_call(at) >>> 0)), 'no-buffer');
}
for (const len of [0xffffffff, 0x80000000, 0x7fffffff, (512 << 20) + 1]) assert.equal(skilltree_alloc(len), 0);
const empty = skilltree_alloc(0);
const other = skilltree_alloc(0);
assert.notEqual(empty, 0);
assert.notEqual(empty, other);
assert.equal(code(taken(skilltree_call(empty) >>> 0)), 'bad-json');
skilltree_free(other);
skilltree_free(other);
// A pointer into a buffer is none.
const inside = skilltree_alloc(64);
assert.equal(code(taken(skilltree_call(inside + 1) >>> 0)), 'no-buffer');
skilltree_free(inside);

// Texts that are no call.
const texts = {
  'bad-json': ['', ' ', '{', '{"call":"list"', '\ufeff{}', '[1,]', 'nul', '"\\ud800"', '['.repeat(1e6), '{"a":'.repeat(1e6), `${'['.repeat(200)}${']'.repeat(200)}`],
  'bad-arguments': [
    '[]', 'null', '1e999999', '{}', '{"call":null}', '{"call":"nothing"}', '{"call":"list"}', '{"call":"list","handle":-1}',
    '{"call":"list","handle":"1"}', '{"call":"list","handle":1e3}',
    '{"call":"open","roots":[]}', '{"call":"open","places":[]}', '{"call":"open","places":{"roots":"/"}}',
    '{"call":"open","host":{"permissions":["@"]}}', '{"call":"open","host":{"ranks":{"a":-1}}}', '{"call":"open","asks":"yes"}',
  ],
  closed: ['{"call":"list","handle":99999999999999999999}', '{"call":"list","handle":1}', '{"call":"close","handle":0}', '{"call":"put","handle":4294967295,"files":[]}'],
  'unknown-dialect': ['{"call":"open","dialect":""}', '{"call":"open","dialect":"__proto__"}'],
  'bad-path': ['{"call":"open","places":{"home":"relative"}}', '{"call":"open","places":{"home":"/a\\u0000b"}}', '{"call":"open","places":{"home":""}}'],
};
for (const [expected, all] of Object.entries(texts)) {
  for (const text of all) assert.equal(code(raw(encoder.encode(text))), expected, text.slice(0, 80));
}
for (const bytes of [[0xff], [0xc0, 0x80], [0x22, 0xed, 0xa0, 0x80, 0x22], [0], [0, 0]]) {
  assert.equal(code(raw(new Uint8Array(bytes))), 'bad-json');
}
assert.equal(code(raw(new Uint8Array(17 << 20).fill(0x20))), 'too-much');

// Files that are not as they are said to be.
const { handle } = call({ call: 'open', dialect: 'sven', places: { roots: ['/s'], only_roots: true } });
const put = (files, attached) => call({ call: 'put', handle, files }, attached);
assert.equal(code(put([{ path: '/a', bytes: 1 }])), 'bad-arguments');
assert.equal(code(put([{ path: '/a', bytes: 1e15 }])), 'bad-arguments');
assert.equal(code(put([{ path: '/a', bytes: 2 }], [1])), 'bad-arguments');
assert.equal(code(put([{ path: 'a', bytes: 0 }])), 'bad-path');
assert.equal(code(put([{ path: `/${'a/'.repeat(5000)}`, bytes: 0 }])), 'bad-path');
assert.equal(code(put([{ path: '/a', bytes: 0, link: '/b' }])), 'bad-arguments');
assert.equal(code(call({ call: 'tell', handle, lists: [] })), 'has-its-files');
assert.deepEqual(put([{ path: '/' }, { path: '/s/a/SKILL.md', link: '/s/a/SKILL.md' }, { path: '/s/b', link: '..' }]), {});
for (const question of ['list', 'prompt', 'tool', 'check', 'complete']) assert.ok(call({ call: question, handle }));
call({ call: 'close', handle });
assert.equal(code(call({ call: 'list', handle })), 'closed');

// Calls with some bytes of them changed, and files of any bytes. The same on every machine.
let seed = 7n;
function below(bound) {
  seed = (seed * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
  return Number((seed >> 33n) % BigInt(bound));
}
const skill = '---\nname: a\ndescription: >-\n  A b\nallowed-tools: [x, "y"]\nmetadata: {a: &b [1], c: *b}\n---\nBody $1 !`ls` $ARGUMENTS\n';
const file = encoder.encode(skill);
const session = [
  ({ asks }) => ({ call: 'open', dialect: 'claude', asks, places: { project: '/p', home: '/h' }, host: { trust: true, enable: ['a'], variables: { a: 'b' } } }),
  ({ handle }) => ({ call: 'put', handle, files: [{ path: '/p/.claude/skills/a/SKILL.md', bytes: file.length }] }),
  ({ handle }) => ({ call: 'tell', handle, lists: [{ path: '/p/.claude/skills', entries: [{ name: 'a', kind: 'dir' }, { name: 'b', kind: 'link', target: './a/../b' }, { name: 'c', kind: 'link' }] }], reads: [{ path: '/p/.claude/skills/a/SKILL.md', bytes: file.length }] }),
  ({ handle }) => ({ call: 'list', handle }),
  ({ handle }) => ({ call: 'prompt', handle, budget: 100 }),
  ({ handle }) => ({ call: 'load', handle, key: 'a', as: 'model', args: 'x "y z"' }),
  ({ handle }) => ({ call: 'invoke', handle, line: '/a b c' }),
  ({ handle }) => ({ call: 'call', handle, arguments: { skill: 'a' } }),
  ({ handle }) => ({ call: 'match', handle, text: 'a' }),
  ({ handle }) => ({ call: 'search', handle, text: 'a b', body: true, limit: 5, as: 'model' }),
  ({ handle }) => ({ call: 'search', handle, text: 'b' }),
  ({ handle }) => ({ call: 'why', handle, asked: 'a' }),
  ({ handle }) => ({ call: 'replay', handle, receipt: { receipt: 1, version: '0', places: {}, host: {}, asked: { command: 'load', key: 'a', as: 'user', args: '' }, dialect: { name: 'claude', digest: '', table: '' } } }),
  ({ handle }) => ({ call: 'matrix', handle, dialects: ['claude'], diff: true }),
  ({ handle }) => ({ call: 'check', handle, paths: ['/p'], strict: true }),
  ({ handle }) => ({ call: 'forget', handle, paths: ['/p'] }),
  ({ handle }) => ({ call: 'remove', handle, paths: ['/p/.claude'] }),
];
for (let round = 0; round < 3000; round += 1) {
  const asks = round % 2 === 1;
  const { handle } = call(session[0]({ asks }));
  for (const step of session.slice(1)) {
    const json = encoder.encode(JSON.stringify(step({ handle, asks })));
    const message = new Uint8Array([...json, 0, ...file]);
    for (let edits = below(4); 0 < edits; edits -= 1) {
      const at = below(8) === 0 ? below(message.length) : json.length + 1 + below(file.length);
      message[at] = below(3) === 0 ? below(256) : '"{}[]:,\\-\n &*!|>#0a'.charCodeAt(below(19));
    }
    raw(message);
  }
  call({ call: 'close', handle });
}

// The memory, after all that: it has all that it needs.
const asked = call({ call: 'open', asks: true, dialect: 'claude', places: { project: '/p' } }).handle;
const held = call(session[0]({ asks: false })).handle;
const message = step => new Uint8Array([...encoder.encode(JSON.stringify(step)), 0, ...file]);
const messages = [
  ...session.slice(1).filter(step => !['tell', 'forget', 'remove'].includes(step({}).call)).map(step => message(step({ handle: held }))),
  ...session.filter(step => ['tell', 'forget', 'list'].includes(step({}).call)).map(step => message(step({ handle: asked }))),
  message({ call: 'put', handle: held, files: [{ path: '/p/.claude/skills/b/SKILL.md', bytes: file.length }] }),
  message({ call: 'remove', handle: held, paths: ['/p/.claude/skills/b'] }),
  message({ call: 'open' }),
  message({ call: 'nothing' }),
];
const calls = count => {
  for (let i = 0; i < count; i += 1) {
    const { handle } = raw(messages[i % messages.length]);
    if (handle) call({ call: 'close', handle });
  }
};
calls(1000);
const before = memory.buffer.byteLength;
calls(Number(times));
assert.equal(memory.buffer.byteLength, before, `the memory after ${times} calls`);
console.log(`${times} calls in ${before} bytes of memory`);
