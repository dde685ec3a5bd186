// The worker: receives files, places and requests from the page, and answers each with the module's answer or an error under
// the number of the request. The page stays responsive meanwhile. It fetches nothing but the modules.

import { SkillTree } from './skilltree.mjs';

// The largest file that is read into the module, and how much of a file is shown, in bytes.
const MAX_FILE_BYTES = 64 * 2 ** 20;
const MAX_SHOWN_BYTES = 2 ** 20;

// Browsers are slow at opening single files, but fast at reading many as one blob. The size of such a blob, and how much of
// the contents is kept for the next dialect, in bytes.
const MAX_BLOB_FILES = 500;
const MAX_BLOB_BYTES = 16 * 2 ** 20;
const MAX_KEPT_BYTES = 128 * 2 ** 20;

// Whether the slim module is beside the full one; `make` says so.
const hasSlim = false;

class Slim extends SkillTree {}

// The slim module is there sooner. Until the full one is there, which is fetched after it, it names the skills; as it
// repairs and checks nothing, every other answer comes from the full one.
const bytes = hasSlim ? fetch(new URL('skilltree-slim.wasm', import.meta.url)).then(answer => answer.arrayBuffer()) : Promise.resolve();
const slim = hasSlim ? Slim.load(bytes).catch(() => null) : Promise.resolve(null);
let isWhole = false;
let ready = bytes.catch(() => null).then(whole);

async function whole() {
  const loaded = await SkillTree.load(new URL('skilltree.wasm', import.meta.url));
  isWhole = true;
  return loaded;
}

let all = new Map();
let bytesOf = reader();
// The functions that read these files, created when they are needed.
let files;
let options = {};
let trees = new Map();

const calls = {
  async start() {
    const loaded = await slim ?? await ready;
    return { version: await loaded.version(), dialects: await loaded.dialects() };
  },

  // Starts with new files, or adds more.
  files(some, isFirst) {
    if (isFirst) [all, bytesOf] = [new Map(), reader()];
    some.forEach(([path, content]) => all.set(path, content));
    files = undefined;
    drop();
  },

  options(asked) {
    options = asked;
    drop();
  },

  // The skills that the slim module finds, or null if there is no use for it any more.
  async early(dialect) {
    const loaded = await slim;
    if (!loaded || isWhole) return null;
    const tree = new loaded({ dialect, files: given(), ...options });
    try {
      return await tree.list();
    } finally {
      tree.close();
    }
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

  // What is found in a text, and what each dialect does with it, if it stands at this path: beside the other files of its folder,
  // or alone.
  async draft(dialect, path, text, isAlone) {
    await ready;
    const folder = path.slice(0, path.lastIndexOf('/'));
    const root = folder.slice(0, folder.lastIndexOf('/')) || '/';
    const beside = isAlone ? [] : [...all].filter(([name]) => name.startsWith(`${folder}/`));
    const places = { roots: [root], onlyRoots: true };
    const tree = new SkillTree({ dialect, files: functions(new Map([...beside, [path, text]])), places, host: options.host });
    try {
      const [check, matrix] = [await tree.check(path), await tree.matrix()];
      const isHere = one => one.path === path;
      return { check: { findings: check.findings.filter(isHere) }, matrix: { rows: matrix.rows.filter(isHere) } };
    } finally {
      tree.close();
    }
  },

  // A text that can be edited: nothing of it is left out or replaced.
  async source(path) {
    const read = await given().read(path);
    if (typeof read === 'string') return read;
    if (read.length > MAX_SHOWN_BYTES) throw new Error(`expected a file of at most ${MAX_SHOWN_BYTES} bytes to edit, got ${read.length}`);
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(read);
    } catch {
      throw new Error('the file is not UTF-8, so it cannot be edited here');
    }
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
    // A module that has trapped cannot be used again; start another one with the same files.
    ready = whole();
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

// Reads files. Requests of the same turn are read as one blob.
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
      // One of the files has changed or was deleted; only that one cannot be read.
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

// File functions for a set of files by path: text, a File, null for a folder, or `{error}`.
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
    folder(path.slice(0, cut) || '/').set(name, { name, kind: 'file', size: content.size ?? content.length });
  }
  return {
    list: path => folders.get(path)?.values() ?? null,
    read: path => {
      const content = all.get(path) ?? null;
      if (content?.error !== undefined) throw new Error(content.error);
      if (content?.size > MAX_FILE_BYTES) throw new Error(`expected a file of at most ${MAX_FILE_BYTES} bytes, got ${content.size}`);
      return content instanceof File ? bytesOf(content) : content;
    },
  };
}
