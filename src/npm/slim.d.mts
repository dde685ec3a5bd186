import { SkillTree } from './skilltree.mjs';

export type * from './skilltree.mjs';
export { SkillTreeError } from './skilltree.mjs';
export { discover, dialects, version, list, prompt, load, invoke, why } from './common.mjs';

/** A tree that asks the slim module. */
export declare class SlimTree extends SkillTree {}
