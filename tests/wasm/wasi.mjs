// In: a program for `wasm32-wasip1`, and its arguments. Out: its output and its exit code, 134 where it traps. It may read
// what is below the folder of the project, named from the root, or from the working directory, and write to its two outputs. What tests of this
// crate call, and no more: node's own `node:wasi` crashes now and then when their memory has grown.
import { closeSync, lstatSync, openSync, readFileSync, readSync, readdirSync, readlinkSync, statSync, writeSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const [OK, BADF, INVAL, NOENT, NOTDIR, NOSYS] = [0, 8, 28, 44, 54, 52];
const [UNKNOWN, CHARACTERS, DIRECTORY, FILE, LINK] = [0, 2, 3, 4, 7];
const [FOLLOW, MUST_BE_DIR, ALL_RIGHTS] = [1, 2, 0x1fffffffn];

class Exit {
  constructor(code) {
    this.code = code;
  }
}

const [file, ...args] = process.argv.slice(2);
const project = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const encoder = new TextEncoder();
const decoder = new TextDecoder();
let memory;
const bytes = (at, len) => new Uint8Array(memory.buffer, at >>> 0, len >>> 0);
const view = () => new DataView(memory.buffer);
const number = (at, value) => (view().setUint32(at, value, true), OK);
const long = (at, value) => (view().setBigUint64(at, BigInt(value), true), OK);

// Open files: `path` of folders, `fd` and `at` of files.
const open = new Map([[3, { path: project, name: project }], [4, { path: process.cwd(), name: '.' }]]);
let next = 5;

const kindOf = stat => (stat.isFile() ? FILE : stat.isDirectory() ? DIRECTORY : stat.isSymbolicLink() ? LINK : UNKNOWN);
const failure = error => ({ ENOENT: NOENT, ENOTDIR: NOTDIR })[error.code] ?? INVAL;

// A path that is named from an open folder.
const path = (fd, at, len) => `${open.get(fd).path}/${decoder.decode(bytes(at, len))}`;

function filestat(at, stat) {
  bytes(at, 64).fill(0);
  long(at + 8, stat.ino);
  view().setUint8(at + 16, kindOf(stat));
  long(at + 24, 1);
  return long(at + 32, stat.size);
}

function strings(list, pointers, at) {
  for (const text of list) {
    number(pointers, at);
    pointers += 4;
    const zeroed = encoder.encode(`${text}\0`);
    bytes(at, zeroed.length).set(zeroed);
    at += zeroed.length;
  }
  return OK;
}

function sizes(list, count, size) {
  number(count, list.length);
  return number(size, list.reduce((sum, text) => sum + encoder.encode(text).length + 1, 0));
}

const argv = [file, ...args];
const environment = Object.entries(process.env).map(([name, value]) => `${name}=${value}`);

const functions = {
  args_get: (pointers, at) => strings(argv, pointers, at),
  args_sizes_get: (count, size) => sizes(argv, count, size),
  environ_get: (pointers, at) => strings(environment, pointers, at),
  environ_sizes_get: (count, size) => sizes(environment, count, size),
  clock_time_get: (_clock, _precision, at) => long(at, process.hrtime.bigint()),
  random_get: (at, len) => (globalThis.crypto.getRandomValues(bytes(at, len)), OK),
  sched_yield: () => OK,
  proc_exit: code => {
    throw new Exit(code);
  },
  fd_close: fd => {
    const one = open.get(fd);
    if (one?.fd !== undefined) closeSync(one.fd);
    return open.delete(fd) ? OK : BADF;
  },
  fd_fdstat_get: (fd, at) => {
    if (fd > 2 && !open.has(fd)) return BADF;
    bytes(at, 24).fill(0);
    view().setUint8(at, fd <= 2 ? CHARACTERS : open.get(fd).fd === undefined ? DIRECTORY : FILE);
    long(at + 8, ALL_RIGHTS);
    return long(at + 16, ALL_RIGHTS);
  },
  fd_filestat_get: (fd, at) => (open.has(fd) ? filestat(at, statSync(open.get(fd).path)) : BADF),
  fd_prestat_get: (fd, at) => {
    if (!open.get(fd)?.name) return BADF;
    view().setUint8(at, 0);
    return number(at + 4, encoder.encode(open.get(fd).name).length);
  },
  fd_prestat_dir_name: (fd, at, len) => (bytes(at, len).set(encoder.encode(open.get(fd).name)), OK),
  fd_seek: (fd, offset, whence, at) => {
    const one = open.get(fd);
    const from = [0, one?.at, one?.fd === undefined ? 0 : statSync(one.path).size][whence];
    if (from === undefined) return BADF;
    one.at = from + Number(offset);
    return long(at, one.at);
  },
  fd_read: (fd, vectors, count, at) => {
    const one = open.get(fd);
    if (one?.fd === undefined) return BADF;
    let sum = 0;
    for (let i = 0; i < count; i += 1) {
      const into = bytes(view().getUint32(vectors + 8 * i, true), view().getUint32(vectors + 8 * i + 4, true));
      const read = into.length ? readSync(one.fd, into, 0, into.length, one.at) : 0;
      one.at += read;
      sum += read;
      if (read < into.length) break;
    }
    return number(at, sum);
  },
  fd_write: (fd, vectors, count, at) => {
    if (fd !== 1 && fd !== 2) return BADF;
    let sum = 0;
    for (let i = 0; i < count; i += 1) {
      const from = bytes(view().getUint32(vectors + 8 * i, true), view().getUint32(vectors + 8 * i + 4, true));
      for (let done = 0; done < from.length;) done += written(fd, from.subarray(done));
      sum += from.length;
    }
    return number(at, sum);
  },
  fd_readdir: (fd, at, len, cookie, used) => {
    const one = open.get(fd);
    if (one?.fd !== undefined || !one) return BADF;
    one.entries ??= readdirSync(one.path, { withFileTypes: true });
    let end = 0;
    for (let i = Number(cookie); i < one.entries.length && end < len; i += 1) {
      const name = encoder.encode(one.entries[i].name);
      const entry = new DataView(new ArrayBuffer(24 + name.length));
      entry.setBigUint64(0, BigInt(i + 1), true);
      entry.setUint32(16, name.length, true);
      entry.setUint8(20, kindOf(one.entries[i]));
      new Uint8Array(entry.buffer).set(name, 24);
      // What does not fit is cut, and asked for again.
      const part = new Uint8Array(entry.buffer, 0, Math.min(entry.byteLength, len - end));
      bytes(at + end, part.length).set(part);
      end += part.length;
    }
    return number(used, end);
  },
  path_filestat_get: (fd, flags, at, len, into) => filestat(into, (flags & FOLLOW ? statSync : lstatSync)(path(fd, at, len))),
  path_open: (fd, _flags, at, len, how, _rights, _inheriting, _fdflags, into) => {
    const name = path(fd, at, len);
    const isDir = statSync(name).isDirectory();
    if (how & MUST_BE_DIR && !isDir) return NOTDIR;
    open.set(next, isDir ? { path: name } : { path: name, fd: openSync(name), at: 0 });
    next += 1;
    return number(into, next - 1);
  },
  path_readlink: (fd, at, len, into, room, used) => {
    const target = encoder.encode(readlinkSync(path(fd, at, len))).subarray(0, room);
    bytes(into, target.length).set(target);
    return number(used, target.length);
  },
};

// A pipe may be full.
function written(fd, from) {
  try {
    return writeSync(fd, from);
  } catch (error) {
    if (error.code !== 'EAGAIN') throw error;
    return 0;
  }
}

function answered(name) {
  return (...given) => {
    try {
      return functions[name] ? functions[name](...given) : NOSYS;
    } catch (error) {
      if (error instanceof Exit) throw error;
      return failure(error);
    }
  };
}

const module = await WebAssembly.compile(readFileSync(file));
const wasi = Object.fromEntries(WebAssembly.Module.imports(module).map(({ name }) => [name, answered(name)]));
const { exports } = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: wasi });
memory = exports.memory;
try {
  exports._start();
} catch (error) {
  if (!(error instanceof Exit)) writeSync(2, `${error?.stack ?? error}\n`);
  process.exitCode = error instanceof Exit ? error.code : 134;
}
