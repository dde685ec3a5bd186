// In: files, places and questions, by messages of the page. Out: the module's answers, or why there is none, under the number
// of the question. The page stays free while the module works. Absent: any view, and any fetch but the module's.

import { SkillTree } from './skilltree.mjs';

// What a file may have to be read into the module.
const MAX_FILE_BYTES = 64 * 2 ** 20;

let ready = SkillTree.load(new URL('skilltree.wasm', import.meta.url));
let files = { list: () => null, read: () => null };
let options = {};
let trees = new Map();

const calls = {
  async start() {
    await ready;
    return { version: await SkillTree.version(), dialects: await SkillTree.dialects() };
  },

  files(all) {
    files = functions(all);
    drop();
  },

  options(given) {
    options = given;
    drop();
  },

  async ask(dialect, questions) {
    await ready;
    const tree = open(dialect);
    const answers = [];
    for (const [method, ...args] of questions) {
      answers.push(await tree[method](...args).catch(refusal));
    }
    return answers;
  },
};

addEventListener('message', async ({ data: { id, call, args } }) => {
  try {
    postMessage({ id, answer: await calls[call](...args) });
  } catch (error) {
    postMessage({ id, ...refusal(error) });
  }
});

function refusal(error) {
  if (error.code === 'stopped') {
    // A module that has stopped answers nothing any more; another one starts with what the page gave.
    ready = SkillTree.load(new URL('skilltree.wasm', import.meta.url));
    trees = new Map();
  }
  return { error: { code: error.code ?? 'failed', message: error.message } };
}

function open(dialect) {
  if (!trees.has(dialect)) trees.set(dialect, new SkillTree({ dialect, files, ...options }));
  return trees.get(dialect);
}

function drop() {
  trees.forEach(tree => tree.close());
  trees.clear();
}

// The listings of a set of files by path: text, a File, null for a folder, or `{error}`.
function functions(all) {
  const folders = new Map([['/', new Map()]]);
  const folder = path => {
    let names = folders.get(path);
    if (!names) {
      folders.set(path, names = new Map());
      const cut = path.lastIndexOf('/');
      folder(path.slice(0, cut) || '/').set(path.slice(cut + 1), { name: path.slice(cut + 1), kind: 'dir' });
    }
    return names;
  };
  for (const [path, content] of all) {
    if (content === null) {
      folder(path);
      continue;
    }
    const cut = path.lastIndexOf('/');
    const name = path.slice(cut + 1);
    folder(path.slice(0, cut) || '/').set(name, { name, kind: 'file', size: content.size });
  }
  return {
    list: path => folders.get(path)?.values() ?? null,
    read: path => {
      const content = all.get(path) ?? null;
      if (content?.error !== undefined) throw new Error(content.error);
      if (content?.size > MAX_FILE_BYTES) throw new Error(`the page reads files of at most ${MAX_FILE_BYTES} bytes, and this has ${content.size}`);
      return content;
    },
  };
}
