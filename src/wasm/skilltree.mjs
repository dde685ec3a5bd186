// The JavaScript interface of the WASM module. The guide says how answers differ from the command line's `--json`; errors are SkillTreeErrors.
// For Node, Deno, bun, browsers and workers; `skilltree.d.mts` documents the interface. It has no dependencies, and accesses
// the disk or the network only to load the module from a URL.

const ABI = 1;
// Each round fetches everything that the one before asked for, so there are about as many rounds as levels of folders.
const MAX_ROUNDS = 1000;
const MAX_FILES_A_CALL = 10_000;
const MAX_BYTES_A_CALL = 32 * 2 ** 20;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class SkillTreeError extends Error {
  constructor(code, message, options) {
    super(message, options);
    this.name = 'SkillTreeError';
    this.code = code;
  }
}

// The module that each class has loaded. A class without one uses that of the class it extends.
const engines = new WeakMap();

// Closes trees that are no longer referenced.
const abandoned = new FinalizationRegistry(({ engine, handle }) => {
  try {
    engine.call({ call: 'close', handle });
  } catch {
    // It was closed already, or its module has trapped.
  }
});

export class SkillTree {
  #engine;
  #handle;
  #files;
  #epoch = 0;

  static async load(wasm = new URL('skilltree.wasm', import.meta.url)) {
    const module = await compiled(await wasm);
    engines.set(this, new Engine(await WebAssembly.instantiate(module, {})));
    return this;
  }

  static async dialects() {
    return engineOf(this).call({ call: 'dialects' }).dialects;
  }

  static async version() {
    return engineOf(this).call({ call: 'version' }).version;
  }

  constructor({ dialect, files = {}, places = {}, host, reading, ...others } = {}) {
    const unknown = Object.keys(others)[0];
    if (unknown !== undefined) {
      throw new SkillTreeError('bad-arguments', `there is no option \`${unknown}\`; there are dialect, files, places, host, reading`);
    }
    const { onlyRoots: only_roots, followLinksOut: follow_links_out, ...own } = places;
    const { userChoices: user_choices, projectChoices: project_choices, ...rest } = own;
    const where = { ...rest, only_roots, follow_links_out, user_choices, project_choices };
    const asks = typeof files?.list === 'function' && typeof files?.read === 'function';
    this.#engine = engineOf(new.target);
    this.#handle = this.#engine.call({ call: 'open', dialect, asks, places: where, host, reading }).handle;
    abandoned.register(this, { engine: this.#engine, handle: this.#handle }, this);
    if (asks) {
      this.#files = files;
    } else {
      this.put(files);
    }
  }

  list() {
    return this.#ask('list');
  }

  prompt({ budget, window, query } = {}) {
    return this.#ask('prompt', { budget, window, query });
  }

  load(key, { as, args, already } = {}) {
    return this.#ask('load', { key, as, args, already });
  }

  invoke(line) {
    return this.#ask('invoke', { line });
  }

  match(text, { max, recent } = {}) {
    return this.#ask('match', { text, max, recent });
  }

  replay(receipt) {
    return this.#ask('replay', { receipt });
  }

  search(text, { limit, body, as } = {}) {
    return this.#ask('search', { text, limit, body, as });
  }

  why(asked, { budget, window, query } = {}) {
    return this.#ask('why', { asked, budget, window, query });
  }

  matrix({ dialects, diff, budget, window } = {}) {
    return this.#ask('matrix', { dialects, diff, budget, window });
  }

  check(paths = [], { strict, profile } = {}) {
    return this.#ask('check', { paths: [paths].flat(), strict, profile });
  }

  tool() {
    return this.#ask('tool');
  }

  call(args) {
    return this.#ask('call', { arguments: args });
  }

  complete(prefix = '') {
    return this.#ask('complete', { prefix });
  }

  put(files) {
    let list = [];
    let parts = [];
    let size = 0;
    const send = () => {
      this.#engine.call({ call: 'put', handle: this.#handle, files: list }, parts);
      [list, parts, size] = [[], [], 0];
    };
    for (const [name, value] of files instanceof Map ? files : Object.entries(files)) {
      const path = name.startsWith('/') ? name : `/${name}`;
      if (value === null) {
        list.push({ path });
      } else if (typeof value?.link === 'string') {
        list.push({ path, link: value.link });
      } else {
        const bytes = bytesOf(value);
        if (!bytes) {
          throw new SkillTreeError('bad-arguments', `the file \`${name}\` is to be text, bytes, null for a folder or {link}`);
        }
        list.push({ path, bytes: bytes.length });
        parts.push(bytes);
        size += bytes.length;
      }
      if (list.length >= MAX_FILES_A_CALL || size >= MAX_BYTES_A_CALL) send();
    }
    send();
  }

  remove(...paths) {
    this.#engine.call({ call: 'remove', handle: this.#handle, paths: paths.map(path => path.startsWith('/') ? path : `/${path}`) });
  }

  forget(...paths) {
    this.#epoch += 1;
    this.#engine.call({ call: 'forget', handle: this.#handle, paths: paths.length ? paths : ['/'] });
  }

  close() {
    abandoned.unregister(this);
    this.#engine.call({ call: 'close', handle: this.#handle });
  }

  // The outputs of the commands are inserted between the pieces of a pending invocation.
  static resume({ commands, pieces, then }, outputs = []) {
    return { ...then, text: pieces.map((piece, n) => piece + (n < commands.length ? outputs[n] ?? '' : '')).join('') };
  }

  async #ask(call, fields) {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const answer = this.#engine.call({ call, handle: this.#handle, ...fields });
      if (!answer.pending) return answer;
      const epoch = this.#epoch;
      const told = await Promise.all(answer.pending.map(({ list, read }) =>
        list === undefined ? this.#read(read) : this.#list(list)));
      // Results that were fetched before `forget` are dropped.
      if (epoch === this.#epoch) this.#tell(told);
    }
    throw new SkillTreeError('too-many-rounds', `after ${MAX_ROUNDS} rounds of \`list\` and \`read\` there is no answer`);
  }

  #tell(told) {
    let [lists, reads, parts, size] = [[], [], [], 0];
    const send = () => {
      this.#engine.call({ call: 'tell', handle: this.#handle, lists, reads }, parts);
      [lists, reads, parts, size] = [[], [], [], 0];
    };
    for (const one of told) {
      if (one.bytes) {
        reads.push({ path: one.path, bytes: one.bytes.length });
        parts.push(one.bytes);
        size += one.bytes.length;
      } else {
        (one.isList ? lists : reads).push({ path: one.path, entries: one.entries, error: one.error });
      }
      if (size >= MAX_BYTES_A_CALL) send();
    }
    send();
  }

  async #list(path) {
    try {
      const found = await this.#files.list(path);
      if (found === null || found === undefined) return { isList: true, path, error: { code: 'not-found' } };
      const entries = [];
      for await (const one of found) entries.push(entryOf(one));
      await Promise.all(entries.filter(entry => entry.kind === 'link').map(entry => this.#follow(path, entry)));
      return { isList: true, path, entries };
    } catch (error) {
      return { isList: true, path, error: reason(error, 'not-a-directory') };
    }
  }

  // The target of a link. If it is unknown, `list` and `read` follow the link.
  async #follow(folder, entry) {
    if (entry.target !== undefined || typeof this.#files.link !== 'function') return;
    try {
      entry.target = await this.#files.link(folder === '/' ? `/${entry.name}` : `${folder}/${entry.name}`) ?? undefined;
    } catch {
      // It was deleted meanwhile, or may not be accessed.
    }
  }

  async #read(path) {
    try {
      const found = await this.#files.read(path);
      if (found === null || found === undefined) return { path, error: { code: 'not-found' } };
      const bytes = bytesOf(typeof found.arrayBuffer === 'function' ? await found.arrayBuffer() : found);
      return bytes ? { path, bytes } : { path, error: { code: 'other', message: 'what `read` gave is neither text nor bytes' } };
    } catch (error) {
      return { path, error: reason(error, 'not-a-file') };
    }
  }
}

if (Symbol.dispose) {
  Object.defineProperty(SkillTree.prototype, Symbol.dispose, { value: SkillTree.prototype.close });
}

// Calls the functions of the module and copies data to and from its memory.
class Engine {
  #exports;

  constructor({ exports }) {
    const abi = exports.skilltree_abi?.();
    if (abi !== ABI) {
      throw new SkillTreeError('wrong-module', `expected a module of ABI ${ABI}, got ${abi === undefined ? 'another module' : `ABI ${abi}`}`);
    }
    this.#exports = exports;
  }

  call(fields, parts = []) {
    const json = encoder.encode(JSON.stringify(fields));
    const len = parts.reduce((sum, part) => sum + part.length, json.length + 1);
    let text;
    try {
      const { memory, skilltree_alloc, skilltree_call, skilltree_len, skilltree_free } = this.#exports;
      const at = skilltree_alloc(len) >>> 0;
      if (at === 0) throw new SkillTreeError('too-much', `the module has no room for a call of ${len} bytes`);
      // The memory may have grown, which detaches earlier views, so a new view is created each time.
      const room = new Uint8Array(memory.buffer, at, len);
      room.set(json);
      let end = json.length + 1;
      for (const part of parts) {
        room.set(part, end);
        end += part.length;
      }
      const answer = skilltree_call(at) >>> 0;
      text = decoder.decode(new Uint8Array(memory.buffer, answer, skilltree_len(answer) >>> 0));
      skilltree_free(answer);
    } catch (error) {
      if (error instanceof SkillTreeError) throw error;
      throw new SkillTreeError('stopped', `the module stopped (${error.message}); load it again`, { cause: error });
    }
    const answer = JSON.parse(text);
    // A refused tool call is an answer, not an error.
    if (answer.error && answer.ok === undefined) throw new SkillTreeError(answer.error.code, answer.error.message);
    return answer;
  }
}

function engineOf(one) {
  for (let of = one; of; of = Object.getPrototypeOf(of)) {
    if (engines.has(of)) return engines.get(of);
  }
  throw new SkillTreeError('not-loaded', 'the module is not loaded yet; `await SkillTree.load(wasm)` first');
}

async function compiled(wasm) {
  if (wasm instanceof WebAssembly.Module) return wasm;
  if (typeof wasm === 'string' || wasm instanceof URL) {
    const url = new URL(wasm, globalThis.location?.href ?? import.meta.url);
    if (url.protocol === 'file:') {
      // The name is a variable so that bundlers for browsers ignore it.
      const node = 'node:fs/promises';
      const { readFile } = await import(/* @vite-ignore */ /* webpackIgnore: true */ node);
      return WebAssembly.compile(await readFile(url));
    }
    wasm = await fetch(url);
  }
  if (typeof wasm?.arrayBuffer === 'function') {
    if (wasm.ok === false) throw new SkillTreeError('no-module', `the module cannot be fetched: ${wasm.status} from ${wasm.url}`);
    wasm = await wasm.arrayBuffer();
  }
  return WebAssembly.compile(wasm);
}

function bytesOf(value) {
  if (typeof value === 'string') return encoder.encode(value);
  if (value instanceof Uint8Array) return value;
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  // Objects of another realm are not instances of this realm's classes.
  return Object.prototype.toString.call(value) === '[object ArrayBuffer]' ? new Uint8Array(value) : undefined;
}

function entryOf(one) {
  if (typeof one === 'string') {
    return one.endsWith('/') ? { name: one.slice(0, -1), kind: 'dir' } : { name: one, kind: 'file' };
  }
  if (typeof one?.name !== 'string') throw new TypeError('an entry of `list` is to be a name, or an object that has one');
  const isDir = one.kind === 'dir' || one.kind === 'directory' || one.isDirectory?.();
  const isFile = one.kind === 'file' || one.isFile?.();
  const isLink = one.kind === 'link' || one.isSymbolicLink?.();
  const kind = isDir ? 'dir' : isFile ? 'file' : isLink ? 'link' : 'other';
  return { name: one.name, kind, size: typeof one.size === 'number' ? one.size : undefined, target: typeof one.target === 'string' ? one.target : undefined };
}

const REASONS = {
  ENOENT: 'not-found',
  NotFoundError: 'not-found',
  NotFound: 'not-found',
  EACCES: 'denied',
  EPERM: 'denied',
  NotAllowedError: 'denied',
  PermissionDenied: 'denied',
};

function reason(error, ofAnotherKind) {
  const isOfAnotherKind = ['ENOTDIR', 'EISDIR', 'TypeMismatchError'].some(name => name === error?.code || name === error?.name);
  const code = isOfAnotherKind ? ofAnotherKind : (REASONS[error?.code] ?? REASONS[error?.name] ?? 'other');
  return { code, message: String(error?.message ?? error) };
}
