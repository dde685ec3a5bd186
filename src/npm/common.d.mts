// The functions that both parts of the package have.
import type { Options, SkillTree } from './skilltree.mjs';

/** A function that takes the tree of skills first, and then what the method takes. */
export type On<Name extends keyof SkillTree> = SkillTree[Name] extends (...given: infer Given) => infer Answer
  ? (tree: SkillTree, ...given: Given) => Answer
  : never;

/**
 * Prepares a tree of skills; files are read when it is asked. Without `files`, Node, Deno and bun read the disk: the home directory
 * and, as the project, the working directory, if `places` does not say otherwise. Browsers have no files then.
 *
 * @throws {SkillTreeError} if an option is invalid.
 */
export declare function discover(options?: Options): Promise<SkillTree>;
/** The tables of all dialects. */
export declare function dialects(): ReturnType<typeof SkillTree.dialects>;
/** The version of the package. */
export declare function version(): Promise<string>;
/** The skills, what they shadow, and the findings. */
export declare const list: On<'list'>;
/** The section for the system prompt. */
export declare const prompt: On<'prompt'>;
/** The text of a skill that is loaded. */
export declare const load: On<'load'>;
/** The result of a typed line: `/name args`, or an ordinary message. */
export declare const invoke: On<'invoke'>;
/** What happened to the skill or file with this name or path. */
export declare const why: On<'why'>;
