// In: what a person drops, chooses or writes. Out: `{name, files, isCut}`: the files by their path below the folder that they are
// taken from, each a File, text,
// null for a folder, or `{error}`. Absent: what is in them; they are read when the engine asks for it.

// More than anybody keeps beside skills, and few enough for a list in memory.
const MAX_FILES = 20_000;

// Folders that no dialect enters; they are there, and nothing in them is looked at.
const NEVER_ENTERED = ['.git', '.hg', '.svn', 'node_modules'];

// How many folders are read at a time.
const AT_ONCE = 32;

/** What was dropped. The items are gone once the event is over, so they are taken before anything is awaited. */
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

/** What a chooser of folders gives. */
export function chosen(list) {
  const files = new Map();
  let isCut = false;
  for (const file of list) {
    const names = (file.webkitRelativePath || file.name).split('/');
    const never = names.findIndex((name, at) => at < names.length - 1 && NEVER_ENTERED.includes(name));
    if (never !== -1) {
      files.set(names.slice(0, never + 1).join('/'), null);
    } else if (files.size < MAX_FILES) {
      files.set(names.join('/'), file);
    } else {
      isCut = true;
    }
  }
  return below({ files, isCut });
}

/** One SKILL.md, in a folder of this name, or of the name that it gives itself. */
export function written(text, name) {
  const own = /^name:[ \t]*["']?([^"'\r\n/]+)/m.exec(text)?.[1].replace(/\s+#.*/, '').trim();
  const folder = name.trim().replaceAll('/', '-') || own || 'pasted';
  return { name: 'skills', files: new Map([[`${/^\.*$/.test(folder) ? 'pasted' : folder}/SKILL.md`, text]]), isCut: false };
}

async function gathered(entries, loose, told) {
  const files = new Map();
  let isCut = false;
  const queue = entries.map(entry => ({ path: entry.name, entry }));
  const take = (path, file) => {
    if (files.size < MAX_FILES) files.set(path, file); else isCut = true;
  };
  for (const file of loose) take(file.name, file);
  while (queue.length && !isCut) {
    await Promise.all(queue.splice(0, AT_ONCE).map(async ({ path, entry }) => {
      if (entry.isFile) {
        // A file that cannot be opened is there all the same, and says why when it is read.
        take(path, await new Promise(resolve => entry.file(resolve, error => resolve({ error: error.message }))));
        return;
      }
      take(path, null);
      if (NEVER_ENTERED.includes(entry.name)) return;
      const all = await listed(entry);
      queue.push(...all.map(one => ({ path: `${path}/${one.name}`, entry: one })));
    }));
    told(files.size);
  }
  return below({ files, isCut });
}

// A reader gives some names at a time, and none at the end.
async function listed(folder) {
  const reader = folder.createReader();
  const all = [];
  while (all.length < MAX_FILES) {
    const some = await new Promise((resolve, fail) => reader.readEntries(resolve, fail)).catch(() => []);
    if (!some.length) break;
    all.push(...some);
  }
  return all;
}

// One folder of skills, a project or a home is what its paths start from. A skill alone stays in its own folder.
function below({ files, isCut }) {
  const tops = new Set([...files.keys()].map(path => path.split('/', 1)[0]));
  const [top] = tops;
  const isFolder = tops.size === 1 && files.get(top) !== undefined ? files.get(top) === null : tops.size === 1;
  const isSkill = name => name.toLowerCase() === 'skill.md';
  if (isFolder && ![...files.keys()].some(path => path.startsWith(`${top}/`) && isSkill(path.slice(top.length + 1)))) {
    const inside = [...files].filter(([path]) => path !== top).map(([path, file]) => [path.slice(top.length + 1), file]);
    return { name: top, files: new Map(inside), isCut };
  }
  const own = [...files].map(([path, file]) => [isSkill(path) ? `skill/${path}` : path, file]);
  return { name: 'skills', files: new Map(own), isCut };
}

/** Whether the folders of skills stand in it where projects have them. */
export function isProject(files) {
  return [...files.keys()].some(path => /^\.[^/]+\/([^/]+\/)*skills(\/|$)/.test(path));
}
