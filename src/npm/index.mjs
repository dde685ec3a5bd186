// The package `skilltree`: functions that read skills from the disk or from any other files. Answers are those of the command
// line with `--json`, but for the differences that the guide lists.
import { functionsOf } from './functions.mjs';
import { SkillTree } from './skilltree.mjs';

export { SkillTree, SkillTreeError } from './skilltree.mjs';
export const { discover, dialects, version, list, prompt, load, invoke, why, match, search, check, matrix, tool, call, complete, replay } =
  functionsOf(SkillTree, new URL('skilltree.wasm', import.meta.url));
