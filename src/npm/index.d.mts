import type { On } from './common.mjs';

export type * from './skilltree.mjs';
export { SkillTree, SkillTreeError } from './skilltree.mjs';
export { discover, dialects, version, list, prompt, load, invoke, why } from './common.mjs';

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
