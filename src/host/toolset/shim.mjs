// In: lines of JSON on standard input; the first says which toolset, and how our lines begin. Out: for each a line of
// JSON, after that beginning. What the toolset prints goes to standard error. Ends with its input.

import { Console } from 'node:console';
import { readFileSync, writeSync } from 'node:fs';
import module from 'node:module';
import { PassThrough, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { compileFunction } from 'node:vm';

class Refusal extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

const stop = new AbortController();
const { stdin } = process;
let token = '';

/** Writes all of it, waiting for who reads. */
const put = (pipe, text) => {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(pipe, bytes, at);
    } catch (error) {
      if (error.code === 'EPIPE') process.exit(0);
      if (error.code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
};

/** One line, whole, whatever stands before it. */
const say = (answer) => {
  // Half a surrogate pair is no character, and JSON that holds one is none to others.
  const whole = (_, value) => (typeof value === 'string' ? value.toWellFormed?.() ?? value : value);
  put(1, `\n${token}${JSON.stringify(answer, whole)}\n`);
};

/** A module that we provide is told by its name, not by its text. */
const OURS = /data:text\/javascript,[\w.%-]*(?:#([\w@/]+))?/g;
const byName = (text) => text.replace(OURS, (_, name) => name ?? 'a module');

const text = (error) => {
  try {
    return byName(message(error));
  } catch {
    return 'something that cannot be told';
  }
};

const message = (error) => {
  const [name, message] = [error?.name, error?.message].map((part) => (typeof part === 'string' ? part : ''));
  if (message === '') return name || String(error);
  return ['', 'Error'].includes(name) || error instanceof Refusal ? message : `${name}: ${message}`;
};

/** What is printed is no answer. The runtime's own streams are never made: they would make the pipes such that who
 * writes to them otherwise is refused when they are full. */
const divert = () => {
  const write = (bytes, _, done) => {
    put(2, byName(bytes.toString()));
    done();
  };
  const errors = Object.assign(new Writable({ write }), { fd: 2 });
  const streams = { stdin: new PassThrough().end(), stdout: errors, stderr: errors };
  for (const [name, value] of Object.entries(streams)) {
    const property = { value, configurable: true, enumerable: true, writable: true };
    // In bun the first does not make the stream, in node there is only the other.
    if (!Reflect.set(process, name, value)) Object.defineProperty(process, name, property);
  }
  globalThis.console = new Console(errors, errors);
};

// The ways that a relative import may be meant, as bun takes them; the first is as it is written.
const meant = (name) => {
  if (!/^(\.\.?\/|file:|\/)/.test(name)) return [name];
  const endings = ['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs', '.json'];
  const typed = /\.[mc]?js$/.test(name) ? [name.replace(/js$/, 'ts')] : [];
  const ended = (stem) => endings.map((ending) => stem + ending);
  return [name, ...typed, ...ended(name), ...ended(`${name}/index`)];
};

const NOT_THERE = ['ERR_MODULE_NOT_FOUND', 'ERR_UNSUPPORTED_DIR_IMPORT', 'MODULE_NOT_FOUND'];

/** How a file is read: one that its package takes for CommonJS, and that imports or exports, is a module. */
const formatOf = (url, format) => {
  if (!/^file:.*\.[jt]s$/.test(url) || !/^commonjs(-typescript)?$/.test(format)) return format;
  try {
    const text = readFileSync(new URL(url), 'utf8').replace(/^#!.*/, '');
    compileFunction(format === 'commonjs' ? text : module.stripTypeScriptTypes(text), ['exports', 'require', 'module']);
  } catch (error) {
    const isModule = /import statement|token 'export'|import\.meta/.test(error.message);
    if (isModule) return format.replace('commonjs', 'module');
  }
  return format;
};

// For a node that has no hooks in its own thread.
const APART = `
import { readFileSync } from 'node:fs';
import module from 'node:module';
import { compileFunction } from 'node:vm';
const formatOf = ${formatOf};
let modules;
export const initialize = (data) => void (modules = data);
export const resolve = async (name, context, next) => {
  if (Object.hasOwn(modules, name)) return { url: 'skilltree:' + name, shortCircuit: true };
  let first;
  for (const one of (${meant})(name)) {
    try {
      return await next(one, context);
    } catch (error) {
      if (!${JSON.stringify(NOT_THERE)}.includes(error.code)) throw error;
      first ??= error;
    }
  }
  throw first;
};
export const load = (url, context, next) => {
  const source = url.startsWith('skilltree:') ? modules[url.slice(10)] : undefined;
  if (source !== undefined) return { format: 'module', source, shortCircuit: true };
  return next(url, { ...context, format: formatOf(url, context.format) });
};`;

/** Makes these modules importable. */
const provide = (modules) => {
  const Tool = { define: (name, tool) => ({ ...tool, name }) };
  globalThis[Symbol.for('skilltree')] = { z, Tool };
  if (typeof Bun !== 'undefined') {
    const setup = (build) => {
      for (const [name, contents] of Object.entries(modules)) build.module(name, () => ({ contents, loader: 'js' }));
    };
    Bun.plugin({ name: 'skilltree', setup });
    return;
  }
  const own = { z, default: z, __esModule: true };
  const zod = new Proxy(z, { get: (_, name) => (Object.hasOwn(own, name) ? own[name] : z[name]) });
  const { _load: otherwise } = module;
  module._load = (name, ...rest) => {
    if (!Object.hasOwn(modules, name)) return otherwise(name, ...rest);
    return name === '@agent/tools' ? { Tool, default: { Tool }, __esModule: true } : zod;
  };
  // Deno has been told already what else there is to import.
  if (typeof Deno !== 'undefined') return;
  const apart = `data:text/javascript,${encodeURIComponent(APART)}`;
  if (!module.registerHooks) return void module.register(apart, { data: modules });
  module.registerHooks({
    resolve(name, context, next) {
      if (Object.hasOwn(modules, name)) return { url: `skilltree:${name}`, shortCircuit: true };
      let first;
      for (const one of meant(name)) {
        try {
          return next(one, context);
        } catch (error) {
          if (!NOT_THERE.includes(error.code)) throw error;
          first ??= error;
        }
      }
      throw first;
    },
    load(url, context, next) {
      const source = url.startsWith('skilltree:') ? modules[url.slice(10)] : undefined;
      if (source !== undefined) return { format: 'module', source, shortCircuit: true };
      return next(url, { ...context, format: formatOf(url, context.format) });
    },
  });
};

/** What a file exports. One that requires is required, as what it requires is looked up otherwise. */
const load = async (file) => {
  if (typeof Bun !== 'undefined' || !/\.c[jt]s$/i.test(file)) return import(pathToFileURL(file).href);
  const exports = module.createRequire(file)(file);
  return { default: exports, ...exports };
};

const RUNS = ['execute', 'handler', 'run', 'call'];
const LISTS = ['tools', 'getTools', 'get_tools'];
const runOf = (tool) => RUNS.find((name) => typeof tool?.[name] === 'function');
const schemaOf = (tool) => tool.parameters ?? tool.inputSchema ?? tool.input_schema ?? tool.schema;
/** Whether it is one tool: a toolset may have a method `run` too, but says nothing about itself. */
const isTool = (value) => {
  if (typeof value !== 'object' || value === null || runOf(value) === undefined) return false;
  const told = [value.name, value.id, value.description];
  return told.some((text) => typeof text === 'string') || Boolean(schemaOf(value));
};
const isClass = (value) => typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value));

/** The tools of what was exported, each with the name that it goes by where it has none itself. */
const collect = async (value, turns = 0) => {
  value = await value;
  if (turns > 4) throw new Refusal('toolset-failed', 'its tools are endlessly nested functions');
  if (Array.isArray(value)) return value.map((tool) => [undefined, tool]);
  if (isTool(value)) return [[undefined, value]];
  if (isClass(value)) {
    return (await listed(value, turns)) ?? collect(new value(), turns + 1);
  }
  if (typeof value === 'function') return collect(value(), turns + 1);
  if (typeof value !== 'object' || value === null) {
    const expected = 'tools: an array, an object, a class or a function';
    throw new Refusal('toolset-failed', `it is ${typeOf(value)}, expected ${expected}`);
  }
  const tools = await listed(value, turns);
  if (tools) return tools;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null ? Object.entries(value) : methods(value);
};

/** What `tools` or `getTools()` gives, where it is there. */
const listed = async (owner, turns) => {
  const name = LISTS.find((name) => owner[name] !== undefined);
  if (name === undefined || isTool(owner[name])) return undefined;
  const value = typeof owner[name] === 'function' ? owner[name].call(owner) : owner[name];
  return collect(value, turns + 1);
};

/** The tools that an object has, and its public methods, as tools without a schema. */
const methods = (owner) => {
  const found = new Map();
  for (let at = owner; at && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(at))) {
      if (name === 'constructor' || name.startsWith('_') || found.has(name)) continue;
      if (isTool(value)) found.set(name, value);
      if (typeof value === 'function') found.set(name, { name, execute: value.bind(owner) });
    }
  }
  return [...found];
};

/** A tool as we keep it. */
const kept = async (name, value, notes) => {
  if (isClass(value)) [name, value] = [name ?? value.name, new value()];
  const tool = typeof value === 'function' ? { execute: value, name: value.name } : value;
  const run = runOf(tool);
  if (run === undefined) {
    throw new Refusal('tool', `is ${typeOf(tool)}, expected an object with a function \`execute\``);
  }
  const given = [tool.name, tool.id, name].find((name) => typeof name === 'string' && name !== '');
  if (given === undefined) throw new Refusal('tool', 'has no name');
  const schema = schemaOf(tool);
  const input = await inputSchema(schema, (what) => notes.push({ tool: given, what }));
  const description = typeof tool.description === 'string' ? tool.description : '';
  return { name: given, description, input, schema, run: (args, context) => tool[run](args, context) };
};

const isSchema = (schema) => typeof schema?.safeParse === 'function';

/** JSON schema. What cannot be told is anything, and noted. */
const inputSchema = async (schema, note) => {
  const anything = { type: 'object' };
  if (schema === undefined || schema === null) return anything;
  try {
    let told = schema;
    if (schema instanceof Schema) {
      const less = 'the skill may bring zod itself';
      told = described(schema.def, [], (what, so) => note(`\`${what}\` of zod is not provided, and ${so}; ${less}`));
    } else if (isSchema(schema)) {
      told = ownSchema(schema, note);
    }
    told = JSON.parse(JSON.stringify(told));
    if (typeOf(told) !== 'object') throw new Error(`it is ${typeOf(told)}, expected an object`);
    delete told.$schema;
    const says = ['type', 'anyOf', 'allOf', 'oneOf', '$ref'].some((word) => told[word] !== undefined);
    return says ? told : { ...anything, ...told };
  } catch (error) {
    note(`its schema cannot be described: ${text(error)}`);
    return anything;
  }
};

/** The schema of a zod that the skill brings. */
const ownSchema = (schema, note) => {
  const ask = { io: 'input', unrepresentable: 'any' };
  if (typeof schema.toJSONSchema === 'function') return schema.toJSONSchema(ask);
  if (schema._zod) return module.createRequire(file)('zod').toJSONSchema(schema, ask);
  return older(schema, '', note);
};

let file = '';
const tools = new Map();
const context = { skill: {}, signal: stop.signal };

const open = async (ask) => {
  ({ token, file } = ask);
  context.skill = { key: ask.key, dir: ask.dir };
  provide(ask.modules);
  divert();
  let exports;
  try {
    exports = await load(file);
  } catch (error) {
    console.error(error);
    throw new Refusal('toolset-failed', `it cannot be loaded: ${text(error)}`);
  }
  const there = Object.keys(exports);
  if (!there.includes(ask.export)) {
    const names = there.length === 0 ? 'nothing' : there.map((name) => `\`${name}\``).join(', ');
    throw new Refusal('export-missing', `there is no export \`${ask.export}\`; it exports ${names}`);
  }
  const notes = [];
  const found = await collect(exports[ask.export]);
  for (const [name, value] of found) {
    try {
      const tool = await kept(name ?? (found.length === 1 ? ask.export : undefined), value, notes);
      if (tools.has(tool.name)) throw new Refusal('tool', 'duplicate name; the first tool is used');
      tools.set(tool.name, tool);
    } catch (error) {
      notes.push({ tool: String(name ?? value?.name ?? ''), what: text(error) });
    }
  }
  const told = [...tools.values()].map(({ name, description, input }) => ({ name, description, input_schema: input }));
  return { tools: told, notes };
};

/** The arguments, checked where there is a schema that can. */
const checked = async ({ schema }, args) => {
  if (!isSchema(schema)) return args;
  const later = !(schema instanceof Schema) && typeof schema.safeParseAsync === 'function';
  const parsed = await (later ? schema.safeParseAsync(args) : schema.safeParse(args));
  if (parsed.success) return parsed.data;
  throw new Refusal('bad-arguments', (parsed.error.issues ?? []).map(told).join('; ') || text(parsed.error));
};

const call = async ({ tool: name, args }) => {
  const tool = tools.get(name);
  if (!tool) throw new Refusal('tool-unknown', `unknown tool \`${name}\``);
  const data = await checked(tool, args);
  try {
    return result(await tool.run(data, context));
  } catch (error) {
    console.error(error);
    throw new Refusal('tool-failed', text(error));
  }
};

const json = (value) => JSON.stringify(value) ?? '';

const result = (value) => {
  if (typeof value === 'string') return { output: value };
  if (typeOf(value) !== 'object' || !Object.hasOwn(value, 'output')) return { output: json(value) };
  const { title, metadata, output } = value;
  return { title, metadata, output: typeof output === 'string' ? output : json(output) };
};

const answer = async (line) => {
  let id = null;
  try {
    const ask = JSON.parse(line);
    ({ id } = ask);
    const answered = { id, ok: true, ...(await (ask.open ? open(ask.open) : call(ask.call))) };
    say(answered);
  } catch (error) {
    const code = error instanceof Refusal ? error.code : 'toolset-failed';
    say({ id, ok: false, error: { code, message: text(error) } });
  }
};

process.on('SIGTERM', () => {
  stop.abort();
  setTimeout(() => process.exit(143), 50);
});

let [rest, turn] = ['', Promise.resolve()];
stdin.setEncoding('utf8');
stdin.on('data', (more) => {
  const lines = (rest + more).split('\n');
  rest = lines.pop();
  for (const line of lines) turn = turn.then(() => answer(line));
});
stdin.on('end', () => process.exit(0));
