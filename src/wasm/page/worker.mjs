// In: files, places and questions, by messages of the page. Out: the module's answers, or why there is none, under the number
// of the question. The page stays free while the module works. Absent: any view, and any fetch but the module's.

import { SkillTree } from './skilltree.mjs';

// What a file may have to be read into the module, and how much of one is shown.
const MAX_FILE_BYTES = 64 * 2 ** 20;
const MAX_SHOWN_BYTES = 2 ** 20;

// A browser opens files one by one and slowly, but many as one blob at once. So much goes into one, and so much of what was
// read is kept for the next dialect.
const MAX_BLOB_FILES = 500;
const MAX_BLOB_BYTES = 16 * 2 ** 20;
const MAX_KEPT_BYTES = 128 * 2 ** 20;

let ready = SkillTree.load(new URL('skilltree.wasm', import.meta.url));
let all = new Map();
// The functions that answer of these files, made when they are needed.
let files;
let options = {};
let trees = new Map();

const calls = {
  async start() {
    await ready;
    return { version: await SkillTree.version(), dialects: await SkillTree.dialects() };
  },

  // Begins with other files, or goes on with more.
  files(some, isFirst) {
    if (isFirst) all = new Map();
    some.forEach(([path, content]) => all.set(path, content));
    files = undefined;
    drop();
  },

  options(asked) {
    options = asked;
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

  texts(paths) {
    const text = bytes => typeof bytes === 'string' ? bytes : new TextDecoder().decode(bytes?.subarray(0, MAX_SHOWN_BYTES));
    return Promise.all(paths.map(async path => text(await given().read(path)).slice(0, MAX_SHOWN_BYTES)).map(read => read.catch(() => '')));
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
  if (!trees.has(dialect)) trees.set(dialect, new SkillTree({ dialect, files: given(), ...options }));
  return trees.get(dialect);
}

function drop() {
  trees.forEach(tree => tree.close());
  trees.clear();
}

// Reads files: those that are asked for in one go are read in one go.
function reader() {
  const read = new Map();
  let kept = 0;
  let asked = [];

  async function flush(all) {
    try {
      const bytes = new Uint8Array(await new Blob(all.map(({ file }) => file)).arrayBuffer());
      let end = 0;
      for (const { file, resolve } of all) resolve(bytes.slice(end, end += file.size));
    } catch {
      // One of them has changed or is gone, and only that one cannot be read.
      for (const { file, resolve, reject } of all) file.arrayBuffer().then(buffer => resolve(new Uint8Array(buffer)), reject);
    }
  }

  function flushAll() {
    let part = [];
    let size = 0;
    for (const one of asked) {
      part.push(one);
      size += one.file.size;
      if (part.length === MAX_BLOB_FILES || size >= MAX_BLOB_BYTES) {
        flush(part);
        [part, size] = [[], 0];
      }
    }
    flush(part);
    asked = [];
  }

  return file => {
    if (read.has(file)) return read.get(file);
    const bytes = new Promise((resolve, reject) => {
      if (!asked.length) queueMicrotask(flushAll);
      asked.push({ file, resolve, reject });
    });
    if (kept + file.size <= MAX_KEPT_BYTES) {
      kept += file.size;
      read.set(file, bytes);
    }
    return bytes;
  };
}

function given() {
  files ??= functions(all);
  return files;
}

// Functions that answer of a set of files by path: text, a File, null for a folder, or `{error}`.
function functions(all) {
  const bytesOf = reader();
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
    folder(path.slice(0, cut) || '/').set(name, { name, kind: 'file', size: content.size ?? content.length });
  }
  return {
    list: path => folders.get(path)?.values() ?? null,
    read: path => {
      const content = all.get(path) ?? null;
      if (content?.error !== undefined) throw new Error(content.error);
      if (content?.size > MAX_FILE_BYTES) throw new Error(`the page reads files of at most ${MAX_FILE_BYTES} bytes, and this has ${content.size}`);
      return content instanceof File ? bytesOf(content) : content;
    },
  };
}
