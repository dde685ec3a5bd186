// Holds a skill loader against the vectors; src/guide/vectors.md describes it, and run.py does the same. It needs Node.js 20.
// On Windows, cases with links or with names that are invalid there are skipped.

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const USAGE = `usage: run.mjs --client NAME [OPTIONS] -- COMMAND [ARGUMENTS]

Runs COMMAND in the tree of each case, and compares what it prints with what the client listed. COMMAND starts in the
project of the case, so name its files by absolute paths. It prints a JSON list of {name, path?, description?}, or an object with
the list as \`skills\`. Exit codes: 0 all cases hold, or --like; 1 some differ; 2 wrong usage, or COMMAND fails in every case.

  --client NAME      the client whose observations and folders are used
  --like             compare with every client, and print for each how many cases agree
  --case GLOB        only cases with such names, as \`yaml-*\`; may be repeated
  --compare PARTS    what to compare: names,paths,descriptions,order by default
  --json             print JSON
  --timeout SECONDS  end COMMAND after this time; 30 by default
  --cases DIR        another folder of cases`;
const PARTS = ["names", "paths", "descriptions", "order"];
const isWindows = process.platform === "win32";
const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "../..");

// What is left to do when this program ends, even by an interrupt: to end the command, and to remove the tree.
const last = { kill() {}, remove() {} };
process.on("exit", () => (last.kill(), last.remove()));
process.on("SIGINT", () => process.exit(130));

function stop(text) {
  console.error(text);
  process.exit(2);
}

function options() {
  const text = { type: "string" }, flag = { type: "boolean", default: false };
  const known = {
    help: { ...flag, short: "h" }, client: text, like: flag, case: { ...text, multiple: true, default: ["*"] }, json: flag,
    compare: { ...text, default: PARTS.join(",") }, timeout: { ...text, default: "30" },
    cases: { ...text, default: join(ROOT, "testdata/vectors/cases") },
  };
  try {
    const { values, positionals: command } = parseArgs({ options: known, allowPositionals: true });
    if (values.help) console.log(USAGE), process.exit(0);
    const [isWhole, compare] = [values.client && command.length > 0 && /^\d+$/.test(values.timeout), values.compare.split(",")];
    return isWhole && compare.every((part) => PARTS.includes(part)) ? { ...values, compare, command } : stop(USAGE);
  } catch (error) {
    return stop(`${USAGE}\n\n${error.message}`);
  }
}

const filled = (text, pin) => text.replaceAll("{project}", `project/${pin.project}`).replaceAll("{home}", `home/${pin.home}`);

// Writes the files of a case, and gives the folder in which the command starts.
function layOut(root, vector, pin) {
  const start = join(root, vector.start ?? "project");
  const repositories = vector.repositories.map((folder) => join(root, filled(folder, pin), ".git"));
  const inner = repositories.flatMap((git) => [join(git, "objects"), join(git, "refs/heads")]);
  [join(root, "home"), start, ...inner].forEach((folder) => mkdirSync(folder, { recursive: true }));
  for (const git of repositories) {
    writeFileSync(join(git, "HEAD"), "ref: refs/heads/main\n");
    writeFileSync(join(git, "config"), "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n");
  }
  for (const file of vector.files) {
    const path = join(root, filled(file.path, pin));
    mkdirSync(dirname(path), { recursive: true });
    const { text, times } = file.repeated ?? { text: "", times: 0 };
    const whole = () => filled(file.text, pin).replaceAll("{root}", () => root) + text.repeat(times);
    // Where a file system ignores the case of letters, two files may have one name, and nothing may be overwritten.
    if (file.link !== undefined) symlinkSync(filled(file.link, pin).replaceAll("{root}", () => root), path);
    else writeFileSync(path, file.base64 === undefined ? whole() : Buffer.from(file.base64, "base64"), { flag: "wx" });
  }
  return start;
}

// The list that the command prints, or a text that says how it failed.
async function ask([program, ...words], root, start, seconds) {
  const home = `${root}${sep}home`;
  const env = { ...process.env, HOME: home, USERPROFILE: home, PWD: start, XDG_CONFIG_HOME: `${home}/.config`,
    XDG_DATA_HOME: `${home}/.local/share`, XDG_CACHE_HOME: `${home}/.cache`, XDG_STATE_HOME: `${home}/.local/state` };
  const child = spawn(program, words, { cwd: start, env, stdio: ["ignore", "pipe", "pipe"], detached: !isWindows });
  const written = [[], []];
  [child.stdout, child.stderr].forEach((stream, index) => stream?.on("data", (part) => written[index].push(part)));
  // What the command started ends with it.
  last.kill = () => {
    try { isWindows ? child.kill() : process.kill(-child.pid, "SIGKILL"); } catch { /* It has ended already. */ }
  };
  const [code, signal] = await new Promise((done) => {
    child.on("error", (error) => stop(`${program} cannot be started: ${error.code}`));
    child.on("close", (...how) => done(how));
    setTimeout(() => done([]), seconds * 1000).unref();
  });
  last.kill();
  last.kill = () => {};
  if (code === undefined) return `the command gave no answer within ${seconds} seconds`;
  const [stdout, stderr] = written.map((parts) => Buffer.concat(parts).toString());
  if (code !== 0) return `the command failed: ${signal ?? `exit code ${code}`}: ${shown(stderr.trim().split("\n").at(-1))}`;
  let answer;
  try { answer = JSON.parse(stdout); } catch { return `the command printed no JSON, but ${shown(stdout)}`; }
  const skills = isObject(answer) ? answer.skills ?? null : answer;
  if (!Array.isArray(skills) || !skills.every(isObject)) return `expected a list of objects, got ${shown(encoded(skills))}`;
  const wrong = offered(skills).find(({ name, path, description }) => ![name, path ?? "", description ?? ""].every(isText));
  return wrong ? `expected texts as name, path and description, got ${shown(encoded(wrong))}` : offered(skills);
}

const isText = (value) => typeof value === "string";
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
// Without the skills that are hidden from the model, and without errors.
const offered = (skills) => skills.filter((skill) => skill.hidden !== true && skill.error == null);

// A path below the root as the case spells it: with `{project}` or `{home}`, or in full.
function spelled(path, vector, pin) {
  path = path.endsWith(".md") ? path : `${path}/SKILL.md`;
  const own = ["project", "home"].map((top) => [`{${top}}/`, `${top}/${pin[top]}/`]);
  const forms = own.filter(([, folder]) => path.startsWith(folder)).map(([short, folder]) => short + path.slice(folder.length));
  const isNear = (one, other) => one.startsWith(other) || other.startsWith(one);
  return [...forms, path].find((form) => vector.files.some((file) => isNear(`${form}/`, `${file.path}/`))) ?? forms[0] ?? path;
}

function encoded(value, indent) {
  const escape = (unit) => "\\u" + unit.charCodeAt(0).toString(16).padStart(4, "0");
  return JSON.stringify(value, null, indent).replace(/[^\n -~]/g, escape);
}

// A text in quotes. Of a long one, the part is shown in which it begins to differ from the other.
function shown(text, other) {
  if (text === null) return "none";
  const [points, others] = [[...text], [...(other ?? "")]];
  const differs = points.findIndex((point, index) => point !== others[index]);
  const begin = points.length > 70 ? Math.max(0, (differs < 0 ? points.length : differs) - 20) : 0;
  return (begin > 0 ? "..." : "") + encoded(points.slice(begin, begin + 70).join("")) + (begin + 70 < points.length ? "..." : "");
}

// The first difference between an observation and the list of the command; `null` if there is none.
function difference(vector, seen, answer, told, pin) {
  // Of a skill whose path and description are undetermined, the name is compared alone.
  const spell = (path) => path && spelled(filled(path, pin), vector, pin);
  const listed = offered(seen.skills).map(({ name, path, description }) =>
    (seen.undetermined ?? []).includes(name) ? { name } : { name, path: spell(path), description });
  // Skills of one name are sorted by what the client tells of them.
  const tells = (key) => told.includes(`${key}s`) && listed.some((skill) => skill[key] !== undefined);
  const rows = (skills) => {
    const kept = (skill, key) => (tells(key) ? skill[key] ?? null : null);
    const found = skills.map((skill) => [skill.name, kept(skill, "path"), kept(skill, "description")]);
    const inOrder = told.includes("order") && seen.ordered;
    return inOrder ? found : found.map((row) => encoded(row)).sort().map((text) => JSON.parse(text));
  };
  const [theirs, ours] = [rows(listed), rows(answer)];
  for (const [one, other, text] of [[theirs, ours, "is missing"], [ours, theirs, `is not listed by ${seen.client}`]]) {
    const count = (list, name) => list.filter((row) => row[0] === name).length;
    const more = one.filter(([name]) => count(one, name) > count(other, name));
    const [name, path] = more.find((row) => !other.some((own) => encoded(own) === encoded(row))) ?? more[0] ?? [];
    if (name !== undefined) return `${shown(name)}${path ? ` (${encoded(path).slice(1, -1)})` : ""} ${text}`;
  }
  // What the client does not tell is not compared.
  const firstOther = (row, own) => row.findIndex((text, field) => text !== null && text !== (own[field] ?? ""));
  const index = theirs.findIndex((row, index) => firstOther(row, ours[index]) >= 0);
  if (index < 0) return null;
  const [row, own, field] = [theirs[index], ours[index], firstOther(theirs[index], ours[index])];
  const what = `${field === 0 ? `position ${index + 1}` : shown(row[0])}: expected the ${["name", "path", "description"][field]}`;
  return `${what} ${shown(row[field], own[field])}, got ${shown(own[field], row[field])}`;
}

const given = options();
const pins = JSON.parse(readFileSync(join(ROOT, "tests/lab/clients.json"), "utf8"));
const pin = pins[given.client] ?? stop(`unknown client: ${given.client}; the clients are ${Object.keys(pins).join(", ")}`);
const clients = given.like ? Object.keys(pins) : [given.client];
const wanted = Object.fromEntries(clients.map((name) => [`${name}@${pins[name].version}`, pins[name]]));
const glob = (text) => text.replace(/\W/g, (mark) => ({ "*": ".*", "?": "." })[mark] ?? `\\${mark}`);
const globs = new RegExp(`^(?:${given.case.map(glob).join("|")})$`);
const [answers, skipped] = [new Map(), {}];
const works = () => [...answers.values()].some(([, answer]) => Array.isArray(answer));
const files = readdirSync(given.cases).filter((file) => file.endsWith(".json"));
for (const name of files.map((file) => file.slice(0, -".json".length)).sort()) {
  const vector = JSON.parse(readFileSync(join(given.cases, `${name}.json`), "utf8"));
  vector.seen = vector.seen.filter((seen) => seen.client in wanted && !("superseded" in seen));
  if (vector.seen.length === 0 || !globs.test(name)) continue;
  const root = realpathSync(mkdtempSync(join(tmpdir(), "vectors-")));
  last.remove = () => rmSync(root, { recursive: true, force: true });
  let start;
  const because = (error) => `skipped, as its files cannot be laid out here: ${error.code}`;
  try { start = layOut(root, vector, pin); } catch (error) { skipped[name] = because(error); }
  const answer = start && await ask(given.command, root, start, Number(given.timeout));
  last.remove();
  for (const skill of Array.isArray(answer) ? answer.filter((skill) => skill.path != null) : []) {
    skill.path = spelled(relative(root, resolve(start, skill.path)).replaceAll(sep, "/"), vector, pin);
  }
  if (start) answers.set(name, [vector, answer]);
  // A command that fails in the first five cases is not run on the others.
  if (answers.size === 5 && !works()) break;
}
if (!works()) stop([...answers].map(([name, [, answer]]) => `${name}: ${answer}`).join("\n") || "there is no case to compare");

const every = [...answers.values()].flatMap(([, answer]) => (Array.isArray(answer) ? answer : []));
const fields = ["path", "description"].filter((key) => every.some((skill) => skill[key] != null)).map((key) => `${key}s`);
const told = ["names", ...[...fields, "order"].filter((part) => given.compare.includes(part))];
const [held, differences] = [{}, {}];
for (const [name, [vector, answer]] of answers) {
  for (const seen of vector.seen) {
    const text = Array.isArray(answer) ? difference(vector, seen, answer, told, wanted[seen.client]) : answer;
    for (const key of given.like ? [seen.client] : [name.split("-")[0], seen.client]) {
      const row = (held[key] ??= { held: 0, all: 0 });
      Object.assign(row, { held: row.held + (text === null ? 1 : 0), all: row.all + 1 });
    }
    if (text !== null && !given.like) differences[name] = text;
  }
}
// The groups of cases stand before the client; of many clients, the one that agrees most stands first.
const rank = ([key, row]) => [key.includes("@") ? 1 : 0, given.like ? -row.held / row.all : 0];
const table = Object.fromEntries(Object.entries(held).sort((a, b) => rank(a)[0] - rank(b)[0] || rank(a)[1] - rank(b)[1]));
if (given.json) {
  console.log(encoded({ compared: told, table, differences, skipped }, 1));
} else {
  console.log(`compared: ${told.join(", ")}`);
  for (const [name, row] of Object.entries(table)) console.log(`${name.padEnd(24)} ${String(row.held).padStart(5)}/${row.all}`);
  for (const [name, text] of Object.entries({ ...differences, ...skipped })) console.log(`${name}: ${text}`);
}
process.exitCode = Object.keys(differences).length > 0 ? 1 : 0;
