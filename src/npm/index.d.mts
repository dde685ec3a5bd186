import type { Options, SkillTree } from './skilltree.mjs';

export type * from './skilltree.mjs';
export { SkillTree, SkillTreeError } from './skilltree.mjs';

/** A function that takes the tree of skills first, and then what the method takes. */
type On<Name extends keyof SkillTree> = SkillTree[Name] extends (...given: infer Given) => infer Answer
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
/** The skills that match a message, for dialects with triggers. */
export declare const match: On<'match'>;
/** The skills that fit some words or a task, the best first. */
export declare const search: On<'search'>;
/** Findings about files, folders or all sources. */
export declare const check: On<'check'>;
/** What each dialect does with each skill. */
export declare const matrix: On<'matrix'>;
/** The load tool's name, description and schema. */
export declare const tool: On<'tool'>;
/** Calls the load tool as the model. A refusal is an answer for the model, not an error. */
export declare const call: On<'call'>;
/** The commands that the user may type, by prefix. */
export declare const complete: On<'complete'>;
/** Makes the answer of a receipt again, and says whether it has the same bytes. */
export declare const replay: On<'replay'>;
