// The functions that the slim module has. It has three fifths of the size, and reads as a lean world does: without the repair of invalid
// files and without the settings of clients.
import { functionsOf } from './functions.mjs';
import { SkillTree } from './skilltree.mjs';

export { SkillTreeError } from './skilltree.mjs';
export class SlimTree extends SkillTree {}
export const { discover, dialects, version, list, prompt, load, invoke, why } =
  functionsOf(SlimTree, new URL('skilltree-slim.wasm', import.meta.url));
