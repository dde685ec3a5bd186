//! The engine for Agent Skills: folders with a `SKILL.md` (YAML frontmatter, Markdown body) that teach an agent a
//! job. It finds them, reads them as their authors meant them, says what became of each, fits them into a
//! prompt, and loads them on demand. Synchronous, without a runtime, over any file system.
//!
//! # From the top
//! A [`World`] is what a call may ask: an [`Fs`] to read, the [`Places`] to look, a [`Host`] to answer for the
//! machine. A [`Dialect`] is a skill system as a table. [`discover`] turns the two into a [`Catalog`]: which
//! skills there are, which one wins, what became of every file seen. The catalog is turned into answers: the
//! [`prompt`]'s section, a [`load`]ed text, an [`invoke`]d message, the [`tool`] and its [`call`], the
//! [`commands`], what to [`select`] for a message, the plans for an [`activation`] and for running a [`script`()], and
//! [`why`]. [`check`] judges files by a dialect's rules.
//!
//! ```
//! use skilltree::{Caller, FsPath, LoadAsk, MemFs, Places, PromptAsk, World};
//!
//! let mut fs = MemFs::new();
//! fs.file("/me/.claude/skills/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n");
//! let places = Places { home: FsPath::new("/me").ok(), ..Places::default() };
//! let world = World::new(&fs, &places, &());
//!
//! let catalog = skilltree::discover(&world, &skilltree::dialect("agentskills").unwrap());
//! println!("{}", skilltree::prompt(&world, &catalog, &PromptAsk::default()).text);
//! let tea = catalog.find("tea", Caller::Model)?;
//! println!("{}", skilltree::load(&world, &catalog, tea, &LoadAsk::new(Caller::Model))?.text);
//! # Ok::<(), skilltree::Error>(())
//! ```
//!
//! # Data flow
//! ```text
//!  World ─┐              Dialect
//!         ▼   ┌ sources       ┌ scan rule     ┌ fields, key      ┌ order
//!      source ──► Fs::walk + scan ──► manifest (frontmatter, yaml, repair) ──► resolve ──► Catalog
//!         └──────────────── findings, and the account of everything seen ──────────────────┘
//!                  prompt      load      invoke, call      commands      select      why
//! ```
//!
//! # Rooms and floors
//! A room is a module at the top. It uses rooms on floors strictly below, and on its own floor those listed
//! before it. `tests/house.rs` holds this.
//! ```text
//! 0 pack, gather, sort, map, text, path, digest      1 diagnostic, fs, skill     2 contract, dialect, error     3 world
//! 4 source, manifest, scan, state, resolve     5 catalog
//! 6 activate, substitute, body, commands, knowledge, inventory, trust, file, bundle
//! 7 load     8 invoke, prompt, select, script, toolset     9 tool, check, approve, serve     10 why, display, embed, docs
//! 11 answer     12 wasm
//! ```
//!
//! # Invariants
//! - The core never prints, writes, sleeps, starts a process, reads the clock or the environment, or knows a
//!   dialect by name. The doors that touch the machine stand outside of it, each behind a feature.
//! - Discovery never fails. What is wrong with a file is a [`Diagnostic`]; an [`Error`] is why a call has no answer.
//! - No read is unbounded, and nothing recurses on its input.
//! - What is granted and run of a skill that is trusted by its contents ([`Trust::Contents`]) is what has these contents:
//!   texts are compared as they were read, and scripts, toolsets and commands run in a private copy that was compared
//!   as it was written. A toolset is planned anew before each start and each call.
//! - Nothing vanishes: a SKILL.md that a scan sees is in the catalog, shadowed, or named in a finding.
//!
//! # Deliberately absent
//! Watching for changes, an async runtime, network. What a skill brings along runs in processes, and only by a door.
//!
//! # Features
//! `os` (default): [`OsFs`], the real disk, and [`embed`]. `archive`: [`ArchiveFs`] and [`pack`](pack()). `contract`: a
//! suite for file systems of your own. `host`: carries plans out on it. `scripts`: runs the scripts of skills.
//! `toolsets`: loads their toolsets and calls the tools. `forks`: gives forks to an agent, runs dynamic commands.
//! `digest`: SHA-256 of a skill's [`contents`], to [`approve`] it by and to hand it on as [`Served`]; the three before it bring
//! it along. `serde`:
//! `Serialize` for the JSON of [`answer`]. `patterns`: regular expressions in triggers. `cli`: the binary, and `mcp` in
//! it: a server of the Model Context Protocol. `wasm`: what a WASM module exports, for JavaScript.

mod activate;
#[cfg(feature = "digest")]
mod approve;
mod body;
#[cfg(any(feature = "archive", feature = "os"))]
mod bundle;
mod catalog;
mod check;
mod commands;
mod diagnostic;
mod dialect;
mod digest;
mod display;
mod error;
mod file;
mod fs;
mod gather;
#[cfg(feature = "host")]
mod host;
mod inventory;
mod invoke;
mod knowledge;
mod load;
mod manifest;
mod map;
mod pack;
mod path;
mod prompt;
mod resolve;
mod scan;
mod script;
mod select;
#[cfg(feature = "digest")]
mod serve;
mod skill;
mod sort;
mod source;
mod state;
mod substitute;
mod text;
mod tool;
mod toolset;
mod trust;
#[cfg(feature = "wasm")]
mod wasm;
mod why;
mod world;

pub mod answer;
pub mod docs;
#[doc = include_str!("threats.md")]
pub mod threats {}
#[cfg(feature = "contract")]
pub mod contract;
#[cfg(feature = "os")]
pub mod embed;

#[cfg(feature = "os")]
pub use fs::OsFs;
pub use fs::{
    Act, Call, EmbeddedFs, Entry, Fs, FsError, Head, Kind, Look, MemFs, Noted, Outcome, OverlayFs, Stamp, Step,
    StepRule, Visit, Walk,
};
#[cfg(feature = "archive")]
pub use fs::{ArchiveError, ArchiveFs, ArchiveLimits};
pub use path::{FsPath, PathError};
pub use text::escape::visible;
pub use text::json::{Json, JsonError};
pub use text::template::{Template, TemplateError};
pub use text::yaml::{Node, Span, Style, Value};

pub use digest::Digest;

pub use diagnostic::{Code, Diagnostic, Fix, Position, Severity};
pub use dialect::{
    ActivationRule, Append, Bare, Base, Budget, ChildRule, Choices, CommandRule, Describe, Dialect, Escape, Field,
    FilePath, Fit, ForkRule, ForkWhen, KeyRule, KnowledgeRule, Limit, LoadRule, Lookup, MatchRule, NAMES, NameForm,
    Naming, Need, Order, PromptRule, Reading, RootSkill, ScanRule, SlashRule, Slot, SourceRule, Space, StateRule,
    Substitution, Ties, ToolRule, ToolsRule, Trim, Variable, WhenEmpty, dialect,
};
pub use error::Error;
pub use skill::{
    Audience, Caller, Context, Cues, Level, Meta, Needs, Permission, Requirement, Run, ScriptList, Skill, Source, State,
};
pub use trust::Pinned;
pub use world::{Fingerprint, Host, Places, Switch, Trust, World};

pub use activate::{CopyFile, CopyPlan, SkillCopy, activation};
#[cfg(feature = "digest")]
pub use approve::{Approval, Approvals, Differences, approve, fingerprint, revoke, revoke_at};
#[cfg(feature = "archive")]
pub use bundle::{Packed, PackedFile, pack};
pub use catalog::{Catalog, Fate, Live, Seen, discover};
pub use check::{CheckAsk, check};
pub use commands::{Command, Commands, commands};
pub use display::{Display, SPINNER, StateRow, state_rows};
pub use file::{FileAsk, FilePart, file};
#[cfg(any(feature = "scripts", feature = "forks"))]
pub use host::Ran;
#[cfg(feature = "scripts")]
pub use host::run_script;
#[cfg(feature = "host")]
pub use host::{Applied, Programs, WriteError, apply, rewrite, write};
#[cfg(feature = "forks")]
pub use host::{CommandAgent, CommandRan, FORK_VARIABLE, SubagentHost, Task, TaskId, TaskState, run_commands};
#[cfg(any(feature = "scripts", feature = "toolsets", feature = "forks"))]
pub use host::{HostError, Limits, Stop, guard};
#[cfg(all(feature = "archive", feature = "host"))]
pub use host::{Over, UnpackError, Unpacked, unpack};
#[cfg(feature = "toolsets")]
pub use host::{RegisteredTool, ToolRegistry, ToolResult, ToolSpec, Toolset};
#[cfg(feature = "digest")]
pub use inventory::{Contents, FileContent, OtherContent, Reach, What, contents};
pub use inventory::{Resources, inventory, resources};
pub use invoke::{Fork, Invocation, Message, Pending, invoke};
pub use knowledge::{Hint, knowledge};
pub use load::{LoadAsk, Loaded, load};
pub use prompt::{Prompt, PromptAsk};
pub use resolve::Shadowed;
pub use script::{Interpreter, Language, ScriptPlan, script, scripts};
pub use select::{SelectAsk, Selection, Tier, prompt, select};
#[cfg(feature = "digest")]
pub use serve::{Served, ServedChild, ServedEntry, ServedFile, ServedResource, ServedSkill};
pub use source::{Looked, Presence, looked};
pub use state::{Change, FileWrite, States, Store, set_state, states};
pub use tool::{Tool, call, tool};
pub use toolset::{ToolsetPlan, Toolsets, toolsets};
pub use why::{Verdict, Why, roots, unseen, why};

/// The examples of the README are tests.
#[cfg(all(doctest, feature = "os"))]
#[doc = include_str!("../README.md")]
struct Readme;
