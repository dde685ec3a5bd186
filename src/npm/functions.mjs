// The functions of the package: each waits for the module, and asks the tree of skills that `discover` has returned. Without
// `files` a tree is that of the disk, where there is one.

const hasDisk = globalThis.process?.versions?.node !== undefined;

// What is larger is no file of a skill that anybody reads.
const MAX_FILE_BYTES = 64 * 2 ** 20;

/** The functions for a class, which loads the module from this address when the first of them is called. */
export function functionsOf(Tree, address) {
  let loading;
  const loaded = () => (loading ??= Tree.load(address));
  const on = name => async (tree, ...given) => tree[name](...given);
  return {
    discover: async ({ files, places, ...others } = {}) => {
      await loaded();
      if (files !== undefined || !hasDisk) return new Tree({ files, places, ...others });
      const disk = await diskFunctions();
      return new Tree({ files: disk.files, places: { ...disk.places, ...places }, ...others });
    },
    dialects: async () => (await loaded()).dialects(),
    version: async () => (await loaded()).version(),
    list: on('list'),
    prompt: on('prompt'),
    load: on('load'),
    invoke: on('invoke'),
    why: on('why'),
    match: on('match'),
    search: on('search'),
    check: on('check'),
    matrix: on('matrix'),
    tool: on('tool'),
    call: on('call'),
    complete: on('complete'),
    replay: on('replay'),
  };
}

/** The disk of this machine, and its places: the home directory, and the working directory as the project. */
async function diskFunctions() {
  const [{ open, readdir, readlink }, { homedir }, { guestPath, hostPath }] =
    await Promise.all(['node:fs/promises', 'node:os', './paths.mjs'].map(name => import(/* @vite-ignore */ /* webpackIgnore: true */ name)));
  const read = async path => {
    const file = await open(hostPath(path), 'r');
    try {
      const stat = await file.stat();
      if (!stat.isFile()) throw Object.assign(new Error('not a file'), { code: 'EISDIR' });
      if (MAX_FILE_BYTES < stat.size) throw new Error(`expected a file of at most ${MAX_FILE_BYTES} bytes, got ${stat.size}`);
      return await file.readFile();
    } finally {
      await file.close();
    }
  };
  return {
    files: {
      list: path => readdir(hostPath(path), { withFileTypes: true }),
      read,
      link: async path => guestPath(await readlink(hostPath(path))),
    },
    places: { home: guestPath(homedir()), project: guestPath(globalThis.process.cwd()) },
  };
}
