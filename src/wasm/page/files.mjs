// Reads what the user drops, chooses or pastes. Each function returns `{name, files, left, kind}`: the files by their path below the
// chosen folder (a File, bytes, text, null for a folder, or `{error}`), and what was left out (`{path, why}`).
// File contents are not read here, except that archives are unpacked; the engine asks for contents later.

import { unzipped } from './zip.mjs';

// More files than anybody keeps beside skills, but few enough for a list in memory.
const MAX_FILES = 20_000;

// The largest file that the module reads, in bytes.
const MAX_FILE_BYTES = 64 * 2 ** 20;

// Folders that no dialect searches. They are listed, but their contents are not.
const NEVER_ENTERED = ['.git', '.hg', '.svn', 'node_modules'];

// How many folders are read at the same time.
const AT_ONCE = 32;

const isSkill = name => name.toLowerCase() === 'skill.md';
const isArchive = name => /\.(skill|zip)$/i.test(name);

/** Reads dropped items. They are only valid during the event, so they are collected before the first `await`. */
export function dropped(transfer, told) {
  const entries = [];
  const loose = [];
  for (const item of transfer.items) {
    if (item.kind !== 'file') continue;
    const entry = item.webkitGetAsEntry?.();
    if (entry) {
      entries.push(entry);
    } else {
      const file = item.getAsFile();
      if (file) loose.push(file);
    }
  }
  return gathered(entries, loose, told);
}

/** Reads files from a file chooser. */
export const opened = (list, told) => gathered([], [...list], told);

/** Reads files from a folder chooser. */
export function chosen(list) {
  const all = new Gathering();
  for (const file of list) {
    const names = (file.webkitRelativePath || file.name).split('/');
    const never = names.findIndex((name, at) => at < names.length - 1 && NEVER_ENTERED.includes(name));
    if (never === -1) all.take(names.join('/'), file);
    else all.passOver(names.slice(0, never + 1).join('/'));
  }
  return all.done('folder');
}

/** A single SKILL.md, in a folder with the given name, or with the name in its frontmatter. */
export function written(text, name) {
  const folder = folderName(name.replaceAll('/', '-')) ?? ownName(text) ?? 'pasted';
  return { name: 'skills', files: new Map([[`${folder}/SKILL.md`, text]]), left: [], kind: 'pasted' };
}

const folderName = name => /^\.*$/.test(name.trim()) ? undefined : name.trim();
const ownName = text => folderName(/^name:[ \t]*["']?([^"'\r\n/]+)/m.exec(text)?.[1].replace(/\s+#.*/, '') ?? '');

// Collects files as they arrive, and what is left out.
class Gathering {
  #files = new Map();
  #left = [];
  #over = 0;

  get size() {
    return this.#files.size;
  }

  get isFull() {
    return this.#over > 0;
  }

  take(path, file) {
    if (this.#files.size >= MAX_FILES) {
      this.#over += 1;
      return;
    }
    this.#files.set(path, file);
    if (file?.error !== undefined) this.leave(path, `the browser cannot open it: ${file.error}`);
    if (file?.size > MAX_FILE_BYTES) this.leave(path, `the file has ${file.size} bytes, expected at most ${MAX_FILE_BYTES}`);
  }

  passOver(path) {
    if (!this.#files.has(path)) this.leave(path, 'no skill system searches it');
    this.#files.set(path, null);
  }

  leave(path, why) {
    this.#left.push({ path, why });
  }

  async unpack(file) {
    try {
      const { files, refused } = await unzipped(file);
      const isBare = [...files.keys()].some(isSkill);
      const at = name => isBare ? `${file.name.replace(/\.[^.]*$/, '') || 'skill'}/${name}` : name;
      for (const { name, why } of refused) this.leave(`${file.name}: ${name}`, why);
      for (const [name, content] of files) if (this.#files.size < MAX_FILES) this.#files.set(at(name), content); else this.#over += 1;
    } catch (error) {
      this.leave(file.name, error.message);
    }
  }

  // Paths are relative to the folder of skills, the project or the home directory. A single skill keeps its own folder.
  done(kind) {
    const files = this.#files;
    const left = this.#left;
    if (this.#over) left.unshift({ path: '', why: `more than ${MAX_FILES.toLocaleString('en')} files; the rest is not read` });
    const tops = new Set([...files.keys()].map(path => path.split('/', 1)[0]));
    const [top] = tops;
    const isFolder = tops.size === 1 && files.get(top) !== undefined ? files.get(top) === null : tops.size === 1;
    if (isFolder && ![...files.keys()].some(path => path.startsWith(`${top}/`) && isSkill(path.slice(top.length + 1)))) {
      const inside = new Map([...files].filter(([path]) => path !== top).map(([path, file]) => [path.slice(top.length + 1), file]));
      const base = commonBase(inside);
      if (base === '') return { name: top, files: inside, left, kind };
      const beside = [...inside].filter(([path, file]) => file !== null && !path.startsWith(`${base}/`)).length;
      if (beside) left.push({ path: top, why: `all skills are in \`${base}\`, so only that folder is read; ${beside.toLocaleString('en')} files outside it are left out` });
      const below = [...inside].filter(([path]) => path.startsWith(`${base}/`)).map(([path, file]) => [path.slice(base.length + 1), file]);
      return { name: `${top}/${base}`, files: new Map(below), left, kind };
    }
    const own = [...files].map(([path, file]) => [isSkill(path) ? `skill/${path}` : path, file]);
    return { name: 'skills', files: new Map(own), left, kind };
  }
}

// The common parent of all skill folders if it is not the topmost folder, as in repositories that keep their skills in one
// subfolder. For a project the location matters, so its paths are kept.
function commonBase(files) {
  if (isProject(files)) return '';
  const parents = [...files.keys()].filter(path => isSkill(path.split('/').at(-1))).map(path => path.split('/').slice(0, -2));
  const [first = []] = parents;
  const shared = first.findIndex((name, at) => parents.some(names => names[at] !== name));
  return first.slice(0, shared === -1 ? first.length : shared).join('/');
}

async function gathered(entries, loose, told) {
  const all = new Gathering();
  const isFolder = entries.some(entry => !entry.isFile);
  // A single dropped file may be an archive, or a SKILL.md without its folder.
  const takeAlone = async (name, file) => {
    if (file.error === undefined && isArchive(name)) await all.unpack(file);
    else if (file.error === undefined && isSkill(name)) all.take(`${ownName(await file.text()) ?? 'skill'}/SKILL.md`, file);
    else all.take(name, file);
  };
  for (const file of loose) await takeAlone(file.name, file);
  const queue = entries.map(entry => ({ path: entry.name, entry }));
  while (queue.length && !all.isFull) {
    await Promise.all(queue.splice(0, AT_ONCE).map(async ({ path, entry }) => {
      if (entry.isFile) {
        // A file that cannot be opened is still listed, and reports the reason when it is read.
        const file = await new Promise(resolve => entry.file(resolve, error => resolve({ error: error.message })));
        if (path === entry.name) await takeAlone(path, file);
        else all.take(path, file);
      } else if (NEVER_ENTERED.includes(entry.name)) {
        all.passOver(path);
      } else {
        all.take(path, null);
        const inside = await listed(entry).catch(error => {
          all.leave(path, `the browser cannot list it: ${error.message}`);
          return [];
        });
        queue.push(...inside.map(one => ({ path: `${path}/${one.name}`, entry: one })));
      }
    }));
    told(all.size);
  }
  return all.done(isFolder ? 'folder' : 'files');
}

// A directory reader returns entries in batches, and an empty batch at the end.
async function listed(folder) {
  const reader = folder.createReader();
  const all = [];
  while (all.length < MAX_FILES) {
    const some = await new Promise((resolve, fail) => reader.readEntries(resolve, fail));
    if (!some.length) break;
    all.push(...some);
  }
  return all;
}

/** The paths of the skill files. */
export const skillFiles = files => [...files.keys()].filter(path => isSkill(path.split('/').at(-1)));

/** The number of skill files, and the parents of their folders, those with the most skills first. */
export function holders(files) {
  const all = new Map();
  for (const path of skillFiles(files)) {
    const holder = path.split('/').slice(0, -2).join('/');
    all.set(holder, (all.get(holder) ?? 0) + 1);
  }
  return { sum: [...all.values()].reduce((sum, some) => sum + some, 0), folders: [...all].sort((a, b) => b[1] - a[1]).map(([folder]) => folder) };
}

/** Whether the files include a folder where projects keep skills. */
export function isProject(files) {
  return [...files.keys()].some(path => /^\.[^/]+\/([^/]+\/)*skills(\/|$)/.test(path));
}
