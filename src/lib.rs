//! An engine for Agent Skills: folders with a `SKILL.md` (YAML frontmatter and a Markdown body) that teach an agent a
//! job. It finds skills, reads them as their authors meant them, explains what happened to each, lists them in a prompt
//! within a budget, and loads them on demand. It is synchronous, needs no runtime and works over any file system.
//!
//! The [`guide`] has an example for each of the five things that most programs want, and [`rules`] explains every rule.
//!
//! # Start here
//! | You want to … | begin with | example |
//! |---|---|---|
//! | list skills for a prompt | [`discover`], [`prompt`] | [in the guide](guide#put-the-list-into-the-system-prompt) |
//! | give the model a load tool | [`tool`], [`call`] | `load_tool.rs` |
//! | read from your own storage | [`Fs`]: two methods | `own_fs.rs`; `fetching.rs` if it has to be asked first; `archive.rs` for a zip |
//! | answer for your machine and its user | [`Host`]: every method has a default | `own_host.rs` |
//! | make a constrained build | [`World::lean`] | `lean.rs` |
//! | test your own agent | [`MemFs`]: a tree in memory, whose calls can be made to fail | `load_tool.rs` |
//! | describe a new client in a dialect file | [`Dialect::parse`] | [at the function](Dialect::parse) |
//!
//! The examples are programs in `tests/examples`. `cargo run --all-features --example own_fs` runs one,
//! and `cargo test --all-features --examples` all of them.
//!
//! # Overview
//! A [`World`] is what a call may ask: an [`Fs`] to read, the [`Places`] to search, and a [`Host`] that answers for the
//! machine and its user. A [`Dialect`] describes a skill system as a table. [`discover`] turns the two into a [`Catalog`]:
//! which skills there are, which one is used for each key, and what happened to every file. Everything else is an answer
//! from the catalog: the section of the [`prompt`], the text of a [`load`]ed skill, the message of an [`invoke`]d command,
//! the [`tool`] and its [`call`], the [`commands`], the skills to [`select`] for a message, the plan for
//! copies ([`CopyPlan`](package::CopyPlan)) or for a script ([`ScriptPlan`](loading::ScriptPlan)), and [`why`]. [`check`]
//! reports findings. Every answer has its JSON by a method, `to_json` in most cases.
//!
//! ```
//! use skilltree::{Caller, FsPath, LoadRequest, MemFs, Places, PromptRequest, World};
//!
//! let mut fs = MemFs::new();
//! fs.file("/me/.claude/skills/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n");
//! let places = Places { home: FsPath::new("/me").ok(), ..Places::default() };
//! let world = World::new(&fs, &places, &());
//!
//! let catalog = skilltree::discover(&world, &skilltree::dialect::agentskills());
//! println!("{}", skilltree::prompt(&world, &catalog, &PromptRequest::default()).text);
//! let tea = catalog.find("tea", Caller::Model)?;
//! println!("{}", skilltree::load(&world, &catalog, tea, &LoadRequest::new(Caller::Model))?.text);
//! # Ok::<(), skilltree::Error>(())
//! ```
//!
//! # Data flow
//! ```text
//!  World ─┐              Dialect
//!         ▼   ┌ sources       ┌ scan rule     ┌ fields, key      ┌ order
//!      source ──► Fs::walk + scan ──► manifest (frontmatter, yaml, repair) ──► resolve ──► Catalog
//!         └─────────────────── findings, and what happened to every file ──────────────────┘
//!                  prompt      load      invoke, call      commands      select      why
//! ```
//!
//! # Layers
//! Each entry of this list is a layer of `src`, and uses only those listed before it; `tests/architecture.rs` checks that.
//! ```text
//! text         tools for text, which know of skills only the common fields: lines, frontmatter, YAML, JSON, templates
//! path, diagnostic
//! fs           the trait Fs, its implementations, and the test suite of its contract
//! model        skills, errors
//! dialect      the types that describe a skill system; `builtin` has one dialect file for each system
//! discovery    world (what a call may ask), source (where to search), scan, manifest, resolve (precedence), catalog
//! package      which files belong to a skill, for listing, serving, approving, copying and archiving
//! offer        what the model and the user are shown: prompt, search, select, commands
//! loading      what a skill gives: load, invoke, tool, script, toolset
//! explain      what became of a file: why, check, beyond
//! author       new skills, corrections, conversion, outlines, overlaps, the matrix of dialects, the overview of clients
//! record       what is kept of answers: session, receipt
//! host         carries plans out on the machine: processes, toolsets, agents, writing files
//! report       the methods that give every answer as JSON
//! guide        the pages of the guide; rules.md beside it is the list of all rules
//! ```
//! Four more packages of the workspace use the public API alone: `skilltree-cli` in `cli` (the command line, the MCP server
//! and the language server), `skilltree-wasm` in `wasm/module` (the module for JavaScript), `skilltree-python` in
//! `python/module` (the module for Python), and the tests.
//!
//! # Where to find
//! - which of several skills with one key is used: `discovery/resolve.rs`
//! - how the list of the prompt is cut to its budget: `offer/list/fit.rs`, by the arithmetic of `text/budget.rs`
//! - how skills are ranked for a request in words: `offer/search/rank.rs`
//! - how invalid YAML is repaired: `text/repair.rs`
//! - which files an approval covers: the row `Purpose::Approve` in `package/files/purpose.rs`
//! - how a dialect is read from a YAML file: `dialect/file`
//! - the rules of one skill system: its file in `dialect/builtin`, such as `claude.yaml` for Claude Code
//!
//! # Invariants
//! - The core never prints, writes, sleeps, starts a process, reads the clock or the environment, or compares the name of a
//!   dialect. It is all but [`OsFs`], [`EmbeddedFs::table`](fs::EmbeddedFs::table) and the layer `host`, which touch the
//!   machine, each behind a feature.
//! - A [lean world](World::lean) differs from a full one only where a finding says so, and offers nothing that the full one
//!   withholds.
//! - Discovery never fails. A problem with a file is a [`Diagnostic`]; an [`Error`] says why a call has no answer.
//! - Every read is bounded, and so is the depth of recursion.
//! - If a skill is trusted by its contents ([`Trust::Contents`]), only exactly these contents are granted or run: texts are
//!   compared when they are read; scripts, toolsets and commands run in a private copy that is compared while it is
//!   written. A toolset is planned again before each start and each call.
//! - Nothing is lost: every SKILL.md that a scan finds is in the catalog, shadowed, or named in a finding. What no scan comes
//!   to, [`Beyond`](explain::Beyond) finds.
//!
//! # Not included
//! Watching for changes, an async runtime, network access.
//!
//! # Features
//! - `os` (default): [`OsFs`], the real disk, and [`EmbeddedFs::table`](fs::EmbeddedFs::table).
//! - `archive`: [`fs::ArchiveFs`] and [`package::Packed`].
//! - `author`: [`author`], for those who write skills and compare skill systems: corrections, conversion, new skills, the
//!   matrix of dialects.
//! - `contract`: a test suite for implementations of [`Fs`].
//! - `patterns`: regular expressions in triggers.
//! - `digest`: the SHA-256 of a skill's [`package::Contents`], [`package::Approvals`], [`package::Served`],
//!   and [`record::Session`], which knows texts by their digests.
//! - `receipts`: [`record::Receipt`], a record of what an answer was made from, and its [`replay`](record::Receipt::replay).
//! - `host`: methods of plans, which carry them out on the machine. With `processes` it runs the scripts of skills, loads their
//!   toolsets and calls the tools, passes tasks to another agent and runs commands.

#[cfg(feature = "author")]
pub mod author;
mod diagnostic;
pub mod dialect;
pub mod discovery;
pub mod explain;
pub mod fs;
pub mod guide;
#[cfg(feature = "host")]
pub mod host;
pub mod loading;
pub mod model;
pub mod offer;
pub mod package;
mod path;
pub mod record;
mod report;
#[doc = include_str!("rules.md")]
pub mod rules {}
mod text;

pub use diagnostic::{Code, Diagnostic, Example, Explanation, Fix, Position, Severity};
pub use dialect::{by_name::dialect, table::Dialect};
pub use discovery::catalog::{Catalog, IncrementalDiscovery, discover};
pub use discovery::resolve::Shadowed;
pub use discovery::world::{Host, Places, Trust, World};
pub use explain::check::{CheckRequest, check};
pub use explain::why::{Outcome, Why, why};
pub use fs::interface::{Fs, FsError};
pub use fs::mem::MemFs;
#[cfg(feature = "os")]
pub use fs::os::OsFs;
pub use loading::invoke::{Fork, Invocation, Message, Pending, invoke};
pub use loading::load::{LoadRequest, Loaded, load};
pub use loading::tool::{Tool, call, tool};
pub use model::error::Error;
pub use model::skill::{Caller, Permission, Requirement, Skill, State, Visibility};
pub use offer::commands::{Command, Commands, commands};
pub use offer::list::{Prompt, PromptRequest, prompt};

pub use offer::select::{SelectRequest, Selection, select};
pub use path::{FsPath, PathError};
pub use text::digest::Digest;
pub use text::escape::visible;
pub use text::json::{Json, JsonError};

#[cfg(test)]
#[path = "../tests/common/effort.rs"]
mod effort;
#[cfg(test)]
#[path = "../tests/common/property.rs"]
mod property;

/// The examples of the README are tests.
#[cfg(all(doctest, feature = "os"))]
#[doc = include_str!("../README.md")]
struct Readme;
