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
 * Functions that provide files on demand. Each is called once for every path that is needed, with absolute paths and `/`
 * between names. They return `null` if nothing exists there. An exception becomes a finding, or the error of the call.
 */
export interface FileFunctions {
  list(folder: string): Awaitable<Iterable<Entry> | AsyncIterable<Entry> | null | undefined>;
  read(file: string): Awaitable<string | Uint8Array | ArrayBuffer | ArrayBufferView | { arrayBuffer(): Promise<ArrayBuffer> } | null | undefined>;
  /**
   * The target of a symbolic link, as it is stored. Without this function `list` and `read` are called for paths behind links,
   * and a link that leads out of a skill's folder is not recognised as a link.
   */
  link?(path: string): Awaitable<string | null | undefined>;
}

/** Where to search: absolute paths with `/`. Absent places are not searched. */
export interface Places {
  /** The project's folder. */
  project?: string;
  /** The user's home directory. */
  home?: string;
  /** The skills that ship with the agent. */
  bundled?: string;
  /** The agent's configuration folder. */
  config?: string;
  /** The user's folder, in systems that have one besides the home directory. */
  user?: string;
  /** The folder of the settings and skills that an administrator manages. */
  managed?: string;
  /** The files and folders that are being worked on. They decide which nested sources are searched, and which skills with `paths` are offered. */
  touched?: string[];
  /** The file with the user's choices of how skills are offered. It need not exist. */
  userChoices?: string;
  /** The files that may hold the project's choices, which only narrow what is offered. Those of the first folder that has any are read. */
  projectChoices?: string[];
  /** The activation root, which holds copies of skills. */
  active?: string;
  /** The path at which the model sees `active`. */
  mount?: string;
  /** Single skill files, or folders that contain one, registered by plugins. */
  registered?: { id: string; path: string }[];
  /** Additional sources that take precedence over all others, from lowest to highest. */
  roots?: string[];
  /** Whether `roots` are the only sources. */
  onlyRoots?: boolean;
  /** Whether symbolic links of the project may lead out of its repository. */
  followLinksOut?: boolean;
}

/** The host's answers. Absent ones are `false` or empty. */
export interface Host {
  /** Keys of enabled skills; overrides `disable`. */
  enable?: string[];
  /** Keys of disabled skills. */
  disable?: string[];
  /** Whether the project's skills are trusted, so that the tools they ask for are granted. */
  trust?: boolean;
  /** The trust in single skills, as a receipt has it. One with digests is trusted as long as its folder and its SKILL.md have exactly these. */
  trusts?: { path: string; trusted?: boolean; reason?: string; folder?: string; manifest?: string }[];
  /** The caller's permissions: `@network`, `@events`, `@read:PATH`, `@write:PATH`, or another tag that begins with `@`. */
  permissions?: string[];
  /** Programs that skills may require. */
  programs?: string[];
  /** Environment variables that are set, which skills may require. */
  environment?: string[];
  /** Variables in the text of skills. */
  variables?: Record<string, string>;
  /** Command names that are reserved for the host. */
  reserved?: string[];
  /** How often skills are used, by key. */
  ranks?: Record<string, number>;
  /** Files that the caller may not read. */
  unreadable?: string[];
}

export interface Options {
  /** The skill system; by default `agentskills`. */
  dialect?: string;
  /** All files by path, or functions that provide them. */
  files?: Record<string, Content> | Map<string, Content> | FileFunctions;
  places?: Places;
  host?: Host;
  /** How files are read: as the client itself does, or repaired; by default as the dialect has it. */
  reading?: 'faithful' | 'repaired';
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
  /** Whether the user may use it. */
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
  /** Whether it is in use only thanks to a repair. */
  repaired?: true;
  /** Who is offered it by its client, and not given it here. */
  withheld_from?: ('model' | 'user')[];
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
  /** The text to show to the user; absent if the dialect has no load tool. */
  view?: string;
}

/** The result of a typed line. `message` means that it is not a command. The fields of the other kinds are those of the command line's JSON. */
export type Invoked =
  | { kind: 'message'; text: string }
  | {
    kind: 'inline';
    key: string;
    text: string;
    /** The text is the note that the skill is loaded already. */
    already?: true;
    tools: string[] | null;
    model: string | null;
    dir: string;
    findings: Finding[];
    disallowed_tools?: string[];
    effort?: string;
    /** The keys of the skills whose commands follow on the same line; `text` has their texts, too. Absent if there are none. */
    also?: string[];
  }
  | { kind: 'fork'; key: string; text: string; findings: Finding[]; [more: string]: unknown }
  | {
    kind: 'pending';
    key: string;
    /** Commands for the host to run; `SkillTree.resume` inserts their outputs between `pieces`. */
    commands: string[];
    pieces: string[];
    words: string[];
    trusted: boolean;
    variables: Record<string, string>;
    then: Invoked;
    shell?: string;
    requires_env?: string[];
  };

export type Called = (
  | ({ ok: true } & Invoked & {
        /** In pegasus, the answer of a call that starts a task. */
        taskId?: string;
        status?: 'spawned';
      })
  | {
      ok: false;
      error: {
        code: string;
        message: string;
        /** The names that are most similar to an unknown one, if the message does not name them. */
        near?: string[];
      };
    }
) & {
  /** The text to show to the user; absent if the dialect has no load tool. */
  view?: string;
};

export interface Matched {
  tier: 0 | 1 | 2 | 3;
  keys: string[];
  text: string;
}

/** What `skilltree --receipt FILE` writes. */
export type Receipt = { receipt: 1; answer: { digest: string; bytes: number; [more: string]: unknown }; [more: string]: unknown };

export interface Replayed {
  /** Whether the answer has the same bytes. */
  same: boolean;
  /** The first thing that differs: `option NAME`, `rule PART`, `file PATH`, `folder PATH`, `version` or `answer`. */
  differs: { what: string; expected: string; got: string } | null;
  /** The files that have changed. If the answer is the same, they did not matter. */
  changed: string[];
  /** The digest of the text that is given now. */
  digest: string;
}

export interface Found {
  query: string;
  /** The best first; empty if no skill fits. */
  hits: {
    key: string;
    path: string;
    description: string;
    /** How well it fits. Only scores of one answer can be compared. */
    score: number;
    /** The parts that have words of the request; empty if only the name as a whole is equal. */
    matched: ('name' | 'alias' | 'description' | 'triggers' | 'when_to_use' | 'body')[];
    /** The code of the reason for which the skill is not in use; absent if it is in use. */
    unused?: string;
    /** Where such words start and end in `description`, in characters (code points), in order. */
    marks: [start: number, end: number][];
  }[];
}

export interface Explained {
  asked: string;
  /** Empty if no such skill or file was found. */
  outcomes: { path: string; outcome: string; code: string | null; rule: string | null; message: string; help: string | null }[];
}

export interface Cell {
  state: 'in-use' | 'name-only' | 'hidden' | 'shadowed' | 'skipped' | 'left-out' | 'unseen';
  /** The key of the skill; absent if the dialect has not read the file. */
  key?: string;
  code?: string;
  /** The SKILL.md that is used instead of a shadowed one. */
  by?: string;
  /** The part of the dialect that decides this, such as `scan.depth`. */
  rule?: string;
  /** Whether it is in use only thanks to a repair. */
  repaired?: true;
  /** Whether the client gives it to the model, and it is withheld here. */
  withheld?: true;
  message: string;
  help?: string;
}

export interface Compared {
  dialects: string[];
  /** A row for each file; its cells by dialect. */
  rows: { path: string; name: string; cells: Record<string, Cell> }[];
  /** The folders below the project that hold skills which a dialect reads only while a file there is being worked on. */
  nested?: string[];
  /** Where the search for skills that no dialect reads was cut short. */
  findings?: Finding[];
}

export interface Tool {
  name: string;
  description: string;
  input_schema: Record<string, unknown>;
  /** The same schema, in gencode. */
  parameters?: Record<string, unknown>;
}

export interface Command {
  name: string;
  key: string;
  hint: string | null;
  description: string;
}

/** The module: its bytes, compiled, its URL, or a response. */
export type Wasm =
  | ArrayBuffer
  | ArrayBufferView
  | WebAssembly.Module
  | URL
  | string
  | Response;

/** Why a call failed. `code` is stable, and the same as the command line's. */
export class SkillTreeError extends Error {
  readonly code: string;
  constructor(code: string, message: string, options?: ErrorOptions);
}

/** The skills that one dialect finds in a set of files. */
export class SkillTree {
  /** Loads the module for all trees that are created afterwards; by default `skilltree.wasm` beside this file. */
  static load(wasm?: Wasm | Promise<Wasm>): Promise<typeof SkillTree>;
  /** The tables of all dialects. */
  static dialects(): Promise<({ name: string } & Record<string, unknown>)[]>;
  static version(): Promise<string>;
  /** The result of a pending invocation after its commands have run; `outputs` are their outputs, in order. */
  static resume(pending: Extract<Invoked, { kind: 'pending' }>, outputs?: string[]): Invoked;

  /** @throws {SkillTreeError} if the module is not loaded yet, or an option is invalid. */
  constructor(options?: Options);

  /** The skills, what they shadow, and the findings. */
  list(): Promise<Listed>;
  /** The section for the system prompt, of at most `budget` characters (tokens in a dialect that counts those), or as many as the model's `window` (in tokens) allows. */
  prompt(ask?: { budget?: number; window?: number; query?: string }): Promise<Prompted>;
  /** The text of a loaded skill, by default as the user loads it. */
  load(key: string, ask?: { as?: 'model' | 'user'; args?: string; already?: string[] }): Promise<Loaded>;
  /** The result of a typed line: `/name args`, or an ordinary message. */
  invoke(line: string): Promise<Invoked>;
  /** The skills that match a message, for dialects with triggers. */
  match(text: string, ask?: { max?: number; recent?: string[] }): Promise<Matched>;
  /** Makes the answer of a receipt again, from the files of this tree, and says whether it has the same bytes. Everything else is as in the receipt. */
  replay(receipt: Receipt): Promise<Replayed>;
  /**
   * The skills that fit some words or a task: at most `limit` (by default 10) of those that the user may use, or the model. With
   * `body: false`, their texts are not searched. The index is kept until files change, so it can be called at each key.
   */
  search(text: string, ask?: { limit?: number; body?: boolean; as?: 'model' | 'user' }): Promise<Found>;
  /** What happened to the skill or file with this name or path; what the prompt for the same `ask` shows of it. */
  why(asked: string, ask?: { budget?: number; window?: number; query?: string }): Promise<Explained>;
  /** What each of these dialects does with each skill, read as its client reads it; all dialects by default. With `diff`, only the skills that they treat differently. */
  matrix(ask?: { dialects?: string[]; diff?: boolean; budget?: number; window?: number }): Promise<Compared>;
  /** Findings about these files, folders or trees; about every source if none is given. */
  check(paths?: string | string[], ask?: { strict?: boolean; profile?: string }): Promise<{ findings: Finding[] }>;
  /** The load tool's name, description and schema. */
  tool(): Promise<Tool>;
  /** Calls the load tool as the model. A refusal is an answer for the model, not an error. */
  call(args: Record<string, unknown>): Promise<Called>;
  /** The commands that the user may type, by prefix. */
  complete(prefix?: string): Promise<{ commands: Command[] }>;

  /** Adds or replaces files. For trees whose files are given. */
  put(files: Record<string, Content> | Map<string, Content>): void;
  /** Removes files and folders. For trees whose files are given. */
  remove(...paths: string[]): void;
  /** Asks again for these paths and everything below them, or for everything. For trees that use file functions. */
  forget(...paths: string[]): void;
  /** Releases the files and everything that was computed from them. */
  close(): void;
}
