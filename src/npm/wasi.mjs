// Runs a program for WASI (`wasm32-wasip1`) in Node: its standard streams are those of Node, and its files those of folders that
// the caller names. It has the functions that a Rust program without processes, threads and sockets calls; others return
// ENOSYS. It takes the place of `node:wasi`, which prints a warning, and stops at a full pipe.
import { Buffer } from 'node:buffer';
import { closeSync, constants, fchmodSync, fstatSync, fsyncSync, lstatSync, mkdirSync, openSync, readSync, readdirSync, readlinkSync, renameSync, rmdirSync, statSync, unlinkSync, writeSync } from 'node:fs';
import process from 'node:process';
import { isatty } from 'node:tty';
import { guestPath, hostPath } from './paths.mjs';

// Numbers of the interface `wasi_snapshot_preview1`.
const ERRORS = { EACCES: 2, EAGAIN: 6, EBADF: 8, EBUSY: 10, EEXIST: 20, EFBIG: 22, EINVAL: 28, EIO: 29, EISDIR: 31, ELOOP: 32, EMFILE: 33, ENAMETOOLONG: 37, ENFILE: 41, ENOENT: 44, ENOMEM: 48, ENOSPC: 51, ENOSYS: 52, ENOTDIR: 54, ENOTEMPTY: 55, EPERM: 63, EPIPE: 64, EROFS: 69, EXDEV: 75 };
const OK = 0;
const [UNKNOWN, CHARACTER_DEVICE, DIRECTORY, REGULAR_FILE, SYMBOLIC_LINK] = [0, 2, 3, 4, 7];
const FOLLOW = 1;
const [CREATE, MUST_BE_DIRECTORY, EXCLUSIVE, TRUNCATE] = [1, 2, 4, 8];
const APPEND = 1;
const [MAY_READ, MAY_WRITE, MAY_SEEK_AND_TELL] = [1n << 1n, 1n << 6n, 1n << 2n | 1n << 5n];
const ALL_RIGHTS = 0x1fffffffn;
const REALTIME = 0;
// How long a pipe is waited for before it is tried again, in milliseconds.
const WAIT_MS = 1;

class Exit {
  constructor(code) {
    this.code = code;
  }
}

class WasiError extends Error {
  constructor(code) {
    super(code);
    this.code = code;
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
// A byte of a name that is not UTF-8 becomes this character.
const REPLACEMENT = '\ufffd';
const sleeper = new Int32Array(new SharedArrayBuffer(4));

/**
 * Runs the program and returns its exit code; 134 if it stopped for an error of its own, which is written to standard error.
 * `folders` are the folders that it may use, each with the name that it has in the program.
 */
export function run(module, { args, env, folders }) {
  let memory;
  const bytes = (at, length) => new Uint8Array(memory.buffer, at >>> 0, length >>> 0);
  const view = () => new DataView(memory.buffer);
  const setNumber = (at, value) => (view().setUint32(at, value, true), OK);
  const setLong = (at, value) => (view().setBigUint64(at, BigInt(value), true), OK);
  const text = (at, length) => decoder.decode(bytes(at, length));

  // Standard streams have an `fd` and no place; open files an `fd` and the place `at`; folders a `path`.
  const open = new Map([0, 1, 2].map(fd => [fd, { fd }]));
  let next = 3;
  const add = one => {
    open.set(next, one);
    next += 1;
    return next - 1;
  };
  for (const [name, path] of folders) add({ name, path });
  const opened = fd => {
    const one = open.get(fd);
    if (!one) throw new WasiError('EBADF');
    return one;
  };
  const folder = fd => {
    const one = opened(fd);
    if (one.path === undefined) throw new WasiError('ENOTDIR');
    return one;
  };
  // A name that is not UTF-8 is passed on as its bytes.
  const path = (fd, at, length) => {
    const [above, name] = [folder(fd).path, text(at, length)];
    if (Buffer.isBuffer(above) || name.includes(REPLACEMENT)) return Buffer.concat([Buffer.from(above), Buffer.from('/'), bytes(at, length)]);
    return hostPath(`${above.replace(/\/$/, '')}/${name}`);
  };

  const kindOf = stat => (stat.isFile() ? REGULAR_FILE : stat.isDirectory() ? DIRECTORY : stat.isSymbolicLink() ? SYMBOLIC_LINK : UNKNOWN);
  const nanoseconds = milliseconds => BigInt(Math.round(milliseconds * 1000)) * 1000n;
  const setStat = (at, stat) => {
    bytes(at, 64).fill(0);
    setLong(at, stat.dev);
    setLong(at + 8, stat.ino);
    view().setUint8(at + 16, kindOf(stat));
    setLong(at + 24, stat.nlink);
    setLong(at + 32, stat.size);
    setLong(at + 40, nanoseconds(stat.atimeMs));
    setLong(at + 48, nanoseconds(stat.mtimeMs));
    return setLong(at + 56, nanoseconds(stat.ctimeMs));
  };

  const setSizes = (list, count, size) => {
    setNumber(count, list.length);
    return setNumber(size, list.reduce((sum, one) => sum + one.length, 0));
  };
  const setStrings = (list, pointers, at) => {
    for (const one of list) {
      setNumber(pointers, at);
      pointers += 4;
      bytes(at, one.length).set(one);
      at += one.length;
    }
    return OK;
  };
  const zeroed = list => list.map(one => encoder.encode(`${one}\0`));
  const words = zeroed(args);
  const variables = zeroed(Object.entries(env).map(([name, value]) => `${name}=${value}`));

  // Each of the buffers in turn, until one is not filled.
  const eachBuffer = (vectors, count, sumAt, move) => {
    let sum = 0;
    for (let i = 0; i < count; i += 1) {
      const buffer = bytes(view().getUint32(vectors + 8 * i, true), view().getUint32(vectors + 8 * i + 4, true));
      const moved = buffer.length ? move(buffer) : 0;
      sum += moved;
      if (moved < buffer.length) break;
    }
    return setNumber(sumAt, sum);
  };
  // A pipe that is not ready is waited for.
  const waiting = move => {
    for (;;) {
      try {
        return move();
      } catch (error) {
        if (error.code === 'EOF') return 0;
        if (error.code !== 'EAGAIN') throw error;
        Atomics.wait(sleeper, 0, 0, WAIT_MS);
      }
    }
  };

  const functions = {
    args_get: (pointers, at) => setStrings(words, pointers, at),
    args_sizes_get: (count, size) => setSizes(words, count, size),
    environ_get: (pointers, at) => setStrings(variables, pointers, at),
    environ_sizes_get: (count, size) => setSizes(variables, count, size),
    clock_time_get: (clock, _precision, at) => setLong(at, clock === REALTIME ? BigInt(Date.now()) * 1_000_000n : process.hrtime.bigint()),
    random_get: (at, length) => (globalThis.crypto.getRandomValues(bytes(at, length)), OK),
    sched_yield: () => OK,
    proc_exit: code => {
      throw new Exit(code);
    },
    fd_close: fd => {
      const one = opened(fd);
      open.delete(fd);
      if (one.fd > 2) closeSync(one.fd);
      return OK;
    },
    fd_fdstat_get: (fd, at) => {
      const one = opened(fd);
      const isTerminal = one.fd !== undefined && fd <= 2 && isatty(one.fd);
      bytes(at, 24).fill(0);
      view().setUint8(at, one.path !== undefined ? DIRECTORY : isTerminal ? CHARACTER_DEVICE : fd <= 2 ? UNKNOWN : REGULAR_FILE);
      // A character device without a place is what a C library takes for a terminal.
      const rights = isTerminal ? ALL_RIGHTS & ~MAY_SEEK_AND_TELL : ALL_RIGHTS;
      setLong(at + 8, rights);
      return setLong(at + 16, rights);
    },
    fd_filestat_get: (fd, at) => {
      const one = opened(fd);
      return setStat(at, one.fd === undefined ? statSync(one.path) : fstatSync(one.fd));
    },
    fd_sync: fd => {
      const one = opened(fd);
      if (one.fd !== undefined) fsyncSync(one.fd);
      return OK;
    },
    fd_prestat_get: (fd, at) => {
      const { name } = opened(fd);
      if (name === undefined) throw new WasiError('EBADF');
      view().setUint8(at, 0);
      return setNumber(at + 4, encoder.encode(name).length);
    },
    fd_prestat_dir_name: (fd, at, length) => (bytes(at, length).set(encoder.encode(opened(fd).name)), OK),
    fd_seek: (fd, offset, whence, at) => {
      const one = opened(fd);
      if (one.at === undefined) throw new WasiError('EINVAL');
      one.at = [0, one.at, whence === 2 ? fstatSync(one.fd).size : 0][whence] + Number(offset);
      return setLong(at, one.at);
    },
    fd_read: (fd, vectors, count, sum) => {
      const one = opened(fd);
      if (one.fd === undefined) throw new WasiError('EISDIR');
      return eachBuffer(vectors, count, sum, buffer => {
        const moved = waiting(() => readSync(one.fd, buffer, 0, buffer.length, one.at ?? null));
        if (one.at !== undefined) one.at += moved;
        return moved;
      });
    },
    fd_write: (fd, vectors, count, sum) => {
      const one = opened(fd);
      if (one.fd === undefined) throw new WasiError('EISDIR');
      return eachBuffer(vectors, count, sum, buffer => {
        let moved = 0;
        while (moved < buffer.length) {
          const part = buffer.subarray(moved);
          moved += waiting(() => writeSync(one.fd, part, 0, part.length, one.appends ? null : one.at ?? null));
        }
        if (one.at !== undefined) one.at += moved;
        return moved;
      });
    },
    fd_readdir: (fd, at, length, cookie, used) => {
      const one = folder(fd);
      // A program that begins again sees what has changed.
      if (cookie === 0n || !one.entries) {
        one.entries = readdirSync(one.path, { withFileTypes: true });
        if (one.entries.some(({ name }) => name.includes(REPLACEMENT))) {
          one.entries = readdirSync(one.path, { withFileTypes: true, encoding: 'buffer' });
        }
      }
      let end = 0;
      for (let i = Number(cookie); i < one.entries.length && end < length; i += 1) {
        const name = Buffer.from(one.entries[i].name);
        const entry = new DataView(new ArrayBuffer(24 + name.length));
        entry.setBigUint64(0, BigInt(i + 1), true);
        // The C library looks up each entry again whose number is 0.
        entry.setBigUint64(8, 1n, true);
        entry.setUint32(16, name.length, true);
        entry.setUint8(20, kindOf(one.entries[i]));
        new Uint8Array(entry.buffer).set(name, 24);
        // An entry that does not fit is cut, and asked for again.
        const part = new Uint8Array(entry.buffer, 0, Math.min(entry.byteLength, length - end));
        bytes(at + end, part.length).set(part);
        end += part.length;
      }
      return setNumber(used, end);
    },
    path_filestat_get: (fd, flags, at, length, into) => setStat(into, (flags & FOLLOW ? statSync : lstatSync)(path(fd, at, length))),
    path_open: (fd, lookup, at, length, how, rights, _inheriting, fdflags, into) => {
      const name = path(fd, at, length);
      const writes = (rights & MAY_WRITE) !== 0n;
      if (!writes && !(how & CREATE)) {
        const stat = (lookup & FOLLOW ? statSync : lstatSync)(name);
        if (stat.isDirectory()) return setNumber(into, add({ path: name }));
        if (how & MUST_BE_DIRECTORY) throw new WasiError('ENOTDIR');
      }
      const reads = (rights & MAY_READ) !== 0n;
      // A named pipe without a writer would block here.
      let flags = writes ? (reads ? constants.O_RDWR : constants.O_WRONLY) : constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
      if (how & CREATE) flags |= constants.O_CREAT;
      if (how & EXCLUSIVE) flags |= constants.O_EXCL;
      if (how & TRUNCATE) flags |= constants.O_TRUNC;
      if (fdflags & APPEND) flags |= constants.O_APPEND;
      if (!(lookup & FOLLOW)) flags |= constants.O_NOFOLLOW ?? 0;
      return setNumber(into, add({ fd: openSync(name, flags, how & CREATE ? modeOfCreated(0o666) : undefined), at: 0, appends: (fdflags & APPEND) !== 0 }));
    },
    path_readlink: (fd, at, length, into, room, used) => {
      const target = encoder.encode(guestPath(readlinkSync(path(fd, at, length)))).subarray(0, room);
      bytes(into, target.length).set(target);
      return setNumber(used, target.length);
    },
    path_create_directory: (fd, at, length) => (mkdirSync(path(fd, at, length), modeOfCreated(0o777)), OK),
    path_remove_directory: (fd, at, length) => (rmdirSync(path(fd, at, length)), OK),
    path_unlink_file: (fd, at, length) => (unlinkSync(path(fd, at, length)), OK),
    path_rename: (fd, at, length, toFd, toAt, toLength) => (renameSync(path(fd, at, length), path(toFd, toAt, toLength)), OK),
  };

  // WASI has no modes, so a program that was compiled for this shim sets them by functions of the shim's own.
  let created;
  const modeOfCreated = usual => {
    const mode = created ?? usual;
    created = undefined;
    return mode;
  };
  const modes = {
    set_mode_of_created: mode => (created = mode),
    set_mode: (fd, mode) => (fchmodSync(opened(fd).fd, mode), OK),
    mode: fd => fstatSync(opened(fd).fd).mode,
  };

  const answered = (functions, name) => (...given) => {
    try {
      return functions[name] ? functions[name](...given) : ERRORS.ENOSYS;
    } catch (error) {
      if (error instanceof Exit || error.code === undefined) throw error;
      return ERRORS[error.code] ?? ERRORS.EIO;
    }
  };
  const imports = { wasi_snapshot_preview1: {}, skilltree: {} };
  for (const one of WebAssembly.Module.imports(module)) {
    imports[one.module][one.name] = answered(one.module === 'skilltree' ? modes : functions, one.name);
  }
  const { exports } = new WebAssembly.Instance(module, imports);
  memory = exports.memory;
  try {
    exports._start();
    return 0;
  } catch (error) {
    if (error instanceof Exit) return error.code;
    writeSync(2, `${error?.stack ?? error}\n`);
    return 134;
  }
}
