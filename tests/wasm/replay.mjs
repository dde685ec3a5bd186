// In: a module, and a file with a session a line: its files, and the receipts of its answers. Out: the number of answers, or an
// exception: each is the same again, and a file of which a byte has changed is named.
import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { SkillTree } from '../../src/wasm/skilltree.mjs';

const [wasm, input] = process.argv.slice(2);
await SkillTree.load(pathToFileURL(wasm));

let answers = 0;
for await (const line of createInterface({ input: createReadStream(input) })) {
  const { files, receipts } = JSON.parse(line);
  const tree = new SkillTree({ files });
  for (const receipt of receipts) {
    const { same, changed, digest } = await tree.replay(receipt);
    assert.ok(same && changed.length === 0 && digest === receipt.answer.digest, line);
    answers += 1;
  }
  const receipt = receipts[answers % receipts.length];
  const read = Object.entries(receipt.files).find(([, { bytes }]) => bytes > 0);
  if (read !== undefined) {
    const [file, { bytes }] = read;
    const flipped = new TextEncoder().encode(files[file]);
    flipped[answers % bytes] ^= 1;
    tree.put({ [file]: flipped });
    const { differs, changed } = await tree.replay(receipt);
    assert.ok(changed.includes(file), `${file} of ${line}`);
    assert.ok(differs === null || differs.what === `file ${file}`, `${differs?.what} of ${line}`);
  }
  tree.close();
}
console.log(answers);
