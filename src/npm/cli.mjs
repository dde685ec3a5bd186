#!/usr/bin/env node
// The command `skilltree`: the native program if its package is installed for this platform, or else the same program for WASI,
// which runs on every platform and starts no processes.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import process from 'node:process';
import { guestPath } from './paths.mjs';
import { run } from './wasi.mjs';

/** The file of the native program; `undefined` if no package of it is installed. Of those for Linux npm installs only one. */
function native() {
  const name = `@skilltree/cli-${process.platform}-${process.arch}`;
  const program = process.platform === 'win32' ? 'skilltree.exe' : 'skilltree';
  for (const file of [`${name}/${program}`, `${name}-musl/${program}`]) {
    try {
      return createRequire(import.meta.url).resolve(file);
    } catch {
      // It is not installed.
    }
  }
  return undefined;
}

function runNative(file) {
  const { status, signal, error } = spawnSync(file, process.argv.slice(2), { stdio: 'inherit' });
  if (error) throw error;
  return status ?? 128 + constants.signals[signal];
}

function runWasm() {
  const module = new WebAssembly.Module(readFileSync(new URL('skilltree-cli.wasm', import.meta.url)));
  const env = { ...process.env, PWD: guestPath(process.cwd()) };
  // WASI cannot ask a terminal for its width.
  env.COLUMNS ??= process.stdout.columns ?? '';
  if (process.platform === 'win32') {
    env.HOME = guestPath(process.env.USERPROFILE ?? '');
    env.PATH = (process.env.PATH ?? '').split(';').map(dir => guestPath(dir)).join(':');
  }
  return run(module, { args: ['skilltree', ...process.argv.slice(2).map(word => guestPath(word))], env, folders: [['/', '/']] });
}

const file = native();
process.exitCode = file ? runNative(file) : runWasm();
