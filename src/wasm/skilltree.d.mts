/** A file: its text or its bytes. `null` is an empty folder, `{link}` a symbolic link. */
export type Content = string | Uint8Array | ArrayBuffer | ArrayBufferView | null | { link: string };

/** One name in a folder: `"SKILL.md"`, `"scripts/"`, or an object, as `Dirent`s and `FileSystemHandle`s are. */
export type Entry =
  | string
  | { name: string; kind: 'file' | 'dir' | 'directory' | 'other'; size?: number }
  | { name: string; kind: 'link'; target?: string }
  | { name: string; isDirectory(): boolean; isFile(): boolean; isSymbolicLink?(): boolean };

type Awaitable<T> = T | Promise<T>;

/**
 * Where files come from when they are not all given: each is asked for what is needed, once, with absolute paths and `/`
 * between names. `null` says that nothing is there. What they throw becomes a finding, or the error of the question.
 */
export interface FileFunctions {
  list(folder: string): Awaitable<Iterable<Entry> | AsyncIterable<Entry> | null | undefined>;
  read(file: string): Awaitable<string | Uint8Array | ArrayBuffer | ArrayBufferView | { arrayBuffer(): Promise<ArrayBuffer> } | null | undefined>;
  /**
   * Where a symbolic link leads, as it is written in it. Without it `list` and `read` are asked for what is behind links, and
   * a link that leads out of a skill's folder is not known for one.
   */
  link?(path: string): Awaitable<string | null | undefined>;
}

/** Where to look: absolute paths with `/`. What is absent is not looked at. */
export interface Places {
  /** The project's folder. */
  project?: string;
  /** The user's home directory. */
  home?: string;
  /** The skills that ship with the agent. */
  bundled?: string;
  /** The agent's configuration folder. */
  config?: string;
  /** The user's folder, where it is not the home directory. */
  user?: string;
  /** Where copies for use lie. */
  active?: string;
  /** The path under which the model sees `active`. */
  mount?: string;
  /** Single skill files, or folders that hold one, as plugins register them. */
  registered?: { id: string; path: string }[];
  /** More sources, above all others, from low to high. */
  roots?: string[];
  /** Whether `roots` are the only sources. */
  onlyRoots?: boolean;
  /** Whether links that the project ships may lead out of the project's repository. */
  followLinksOut?: boolean;
}

/** What the host answers. What is absent is not so. */
export interface Host {
  /** Skills that are switched on, by key; it beats `disable`. */
  enable?: string[];
  /** Skills that are switched off. */
  disable?: string[];
  /** Whether what the project's skills ask for may be granted. */
  trust?: boolean;
  /** What the caller holds: `@network`, `@events`, `@read:PATH`, `@write:PATH`. */
  permissions?: string[];
  /** Programs that skills may require. */
  programs?: string[];
  /** Environment variables that are set, which skills may require. */
  environment?: string[];
  /** Variables in the text of skills. */
  variables?: Record<string, string>;
  /** Command names that the host keeps for itself. */
  reserved?: string[];
  /** How much skills are used, by key. */
  ranks?: Record<string, number>;
  /** Files that the caller may not read. */
  unreadable?: string[];
}

export interface Options {
  /** The skill system; by default `agentskills`. */
  dialect?: string;
  /** All files by path, or functions that are asked for them. */
  files?: Record<string, Content> | Map<string, Content> | FileFunctions;
  places?: Places;
  host?: Host;
}

export interface Finding {
  severity: 'error' | 'warning' | 'note';
  code: string;
  path: string;
  line?: number;
  column?: number;
  message: string;
  help?: string;
  fix?: { line: number; last?: number; with: string };
}

export interface Skill {
  key: string;
  name: string;
  description: string;
  source: string;
  scope: string;
  path: string;
  dir: string;
  /** Whether the model may use it. */
  model: boolean;
  /** Whether a user may. */
  user: boolean;
  pinned: boolean;
  commands: string[];
  version?: string;
  allowed_tools?: string[];
  disallowed_tools?: string[];
  argument_hint?: string;
  namespace?: string;
  context?: 'inline' | 'fork';
  agent?: string;
  model_name?: string;
  sandbox?: boolean;
  permissions?: string[];
  /** What the machine must have. */
  requires?: { bins: string[]; env: string[] };
  brief_description?: string;
  toolsets?: string[];
  scripts?: string[];
  when_to_use?: string;
  arguments?: string[];
  paths?: string[];
  effort?: string;
  background?: boolean;
  shell?: string;
  triggers?: { keywords: string[]; verbs: string[]; patterns: string[] };
  state?: string;
  license?: string;
  compatibility?: string;
  target?: string;
  resources: { scripts: string[]; references: string[]; assets: string[] };
  meta: Record<string, unknown>;
}

export interface Listed {
  dialect: string;
  skills: Skill[];
  shadowed: { key: string; path: string; source: string; by: string }[];
  findings: Finding[];
}

export interface Prompted {
  text: string;
  guidance: string;
  list: string;
  shown: string[];
  shortened: string[];
  left_out: string[];
  cost: number;
  budget: number | null;
  note?: string;
}

export interface Loaded {
  key: string;
  text: string;
  already: boolean;
  dir: string;
  files: string[];
  children: string[];
  tools: string[] | null;
  findings: Finding[];
}

/** What a line comes to. `message`: it is no command. Fields of the other kinds are those of the command line's JSON. */
export type Invoked =
  | { kind: 'message'; text: string }
  | {
    kind: 'inline';
    key: string;
    text: string;
    tools: string[] | null;
    model: string | null;
    dir: string;
    findings: Finding[];
    disallowed_tools?: string[];
    effort?: string;
  }
  | { kind: 'fork'; key: string; text: string; findings: Finding[]; [more: string]: unknown }
  | {
    kind: 'pending';
    key: string;
    /** To be run by the host; `SkillTree.resume` puts what they print between `pieces`. */
    commands: string[];
    pieces: string[];
    words: string[];
    trusted: boolean;
    variables: Record<string, string>;
    then: Invoked;
    shell?: string;
    requires_env?: string[];
  };

export type Called = ({ ok: true } & Invoked) | { ok: false; error: { code: string; message: string } };

export interface Matched {
  tier: 0 | 1 | 2 | 3;
  keys: string[];
  text: string;
}

export interface Explained {
  asked: string;
  /** Empty when nothing of it was seen. */
  outcomes: { path: string; outcome: string; code: string | null; message: string; help: string | null }[];
}

export interface Tool {
  name: string;
  description: string;
  input_schema: Record<string, unknown>;
}

export interface Command {
  name: string;
  key: string;
  hint: string | null;
  description: string;
}

/** The module: its bytes, compiled, where it is, or as it is fetched. */
export type Wasm =
  | ArrayBuffer
  | ArrayBufferView
  | WebAssembly.Module
  | URL
  | string
  | Response;

/** Why a question has no answer. `code` is stable, and the same as the command line's. */
export class SkillTreeError extends Error {
  readonly code: string;
  constructor(code: string, message: string, options?: ErrorOptions);
}

/** The skills of one set of files, seen as one dialect sees them. */
export class SkillTree {
  /** Loads the module for all trees made from then on; by default `skilltree.wasm` beside this file. */
  static load(wasm?: Wasm | Promise<Wasm>): Promise<typeof SkillTree>;
  /** The tables of all dialects. */
  static dialects(): Promise<({ name: string } & Record<string, unknown>)[]>;
  static version(): Promise<string>;
  /** What a pending invocation comes to once its commands have run: `outputs` are what they printed, in order. */
  static resume(pending: Extract<Invoked, { kind: 'pending' }>, outputs?: string[]): Invoked;

  /** @throws {SkillTreeError} when the module is not loaded yet, or an option is wrong. */
  constructor(options?: Options);

  /** The skills, what they shadow, and the findings. */
  list(): Promise<Listed>;
  /** The section for the system prompt, of at most `budget` characters, or as the model's `window` of tokens allows. */
  prompt(ask?: { budget?: number; window?: number; query?: string }): Promise<Prompted>;
  /** What loading a skill gives, by default to a user. */
  load(key: string, ask?: { as?: 'model' | 'user'; args?: string; already?: string[] }): Promise<Loaded>;
  /** What a typed line comes to: `/name args`, or an ordinary message. */
  invoke(line: string): Promise<Invoked>;
  /** The skills that a message asks for, where the dialect has triggers. */
  match(text: string, ask?: { max?: number; recent?: string[] }): Promise<Matched>;
  /** What became of a name or a path. */
  why(asked: string, ask?: { budget?: number; window?: number }): Promise<Explained>;
  /** Findings about these files, folders or trees; about every source where none is named. */
  check(paths?: string | string[], ask?: { strict?: boolean; profile?: string }): Promise<{ findings: Finding[] }>;
  /** The load tool as a model sees it. */
  tool(): Promise<Tool>;
  /** The load tool, called by the model. A refusal is an answer, for the model. */
  call(args: Record<string, unknown>): Promise<Called>;
  /** What a user may type, by prefix. */
  complete(prefix?: string): Promise<{ commands: Command[] }>;

  /** Puts more files, or others in place of those that are there. Of trees whose files are given. */
  put(files: Record<string, Content> | Map<string, Content>): void;
  /** Takes files and folders away. Of trees whose files are given. */
  remove(...paths: string[]): void;
  /** Asks anew for these paths and what is below them; without any, for all. Of trees that ask. */
  forget(...paths: string[]): void;
  /** Drops the files and all that is known of them. */
  close(): void;
}
