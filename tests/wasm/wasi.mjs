// In: a program for `wasm32-wasip1`, and its arguments. Out: its output and its exit code, 134 where it traps. It sees the
// working directory, as `.` and by its name, and `/tmp`.
import { WASI } from 'node:wasi';
import { readFileSync, writeSync } from 'node:fs';
import process from 'node:process';

const [file, ...args] = process.argv.slice(2);
const here = process.cwd();
const preopens = { '/tmp': '/tmp', [here]: here, '.': here };
const wasi = new WASI({ version: 'preview1', args: [file, ...args], env: process.env, preopens, returnOnExit: true });
let code = 134;
try {
  const module = new WebAssembly.Module(readFileSync(file));
  code = wasi.start(new WebAssembly.Instance(module, wasi.getImportObject()));
} catch (error) {
  writeSync(2, `${error?.stack ?? error}\n`);
}
// At once, as nothing is left to be done.
process.reallyExit(code);
