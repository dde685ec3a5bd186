// In: a module, and a file with cases: a folder, a dialect, places, a host, and questions. Out: the answers, one JSON list a
// case, however the files are given: as an object, as a Map, by functions, and by functions that take their time.
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { SkillTree, SkillTreeError } from '../../src/wasm/skilltree.mjs';

const [wasm, input] = process.argv.slice(2);
await SkillTree.load(pathToFileURL(wasm));

// The tree below a folder, links as links.
function given(root, at = '', files = {}) {
  for (const entry of readdirSync(`${root}${at}`, { withFileTypes: true })) {
    const path = `${at}/${entry.name}`;
    if (entry.isSymbolicLink()) {
      files[path] = { link: readlinkSync(root + path) };
    } else if (entry.isDirectory()) {
      files[path] = null;
      given(root, path, files);
    } else {
      files[path] = readFileSync(root + path);
    }
  }
  return files;
}

async function answers(tree, steps) {
  const told = [];
  for (const [method, ...args] of steps) {
    try {
      told.push(await tree[method](...args));
    } catch (error) {
      if (!(error instanceof SkillTreeError)) throw error;
      told.push({ error: { code: error.code, message: error.message } });
    }
  }
  tree.close();
  return told;
}

const told = [];
for (const { root, dialect, places, host, steps } of JSON.parse(readFileSync(input, 'utf8'))) {
  const files = given(root);
  const list = dir => readdirSync(root + dir, { withFileTypes: true });
  const read = file => readFileSync(root + file);
  const link = path => readlinkSync(root + path);
  const named = (dir, entry) => {
    if (entry.isSymbolicLink()) return { name: entry.name, kind: 'link', target: link(`${dir}/${entry.name}`) };
    return entry.isDirectory() ? `${entry.name}/` : entry.name;
  };
  const ways = {
    object: files,
    map: new Map(Object.entries(files)),
    functions: { list, read, link },
    promises: {
      list: async dir => (await null, list(dir).map(entry => named(dir, entry))),
      read: async file => (await null, read(file).toString('utf8')),
    },
  };
  const texts = Object.values(files).filter(file => file && typeof file.link !== 'string');
  if (texts.some(file => file.toString('utf8').includes('\ufffd'))) delete ways.promises;
  const ways_told = {};
  for (const [way, files] of Object.entries(ways)) {
    ways_told[way] = await answers(new SkillTree({ dialect, files, places, host }), steps);
  }
  told.push(ways_told);
}
console.log(JSON.stringify(told));
