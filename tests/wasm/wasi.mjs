// In: a program for `wasm32-wasip1`, and its arguments. Out: its output and its exit code, 134 where it traps. It may use what is
// below the folder of the project, named from the root, and below the working directory.
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { run } from '../../src/npm/wasi.mjs';

const [file, ...args] = process.argv.slice(2);
const project = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const module = new WebAssembly.Module(readFileSync(file));
process.exitCode = run(module, { args: [file, ...args], env: process.env, folders: [[project, project], ['.', process.cwd()]] });
