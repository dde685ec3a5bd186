//! The answers to questions about a catalog. Each file has one question:
//!
//! - `prompt`: which skills are listed in the system prompt? `prompt/fit` applies the budget, `prompt/rows` writes rows.
//! - `select`: which skills does a message of the user need?
//! - `load`: what is the text of a skill? `substitute` inserts the arguments, `knowledge` points to knowledge files.
//! - `commands` and `invoke`: which commands may the user type, and what does a typed line do?
//! - `tool`: what is the tool for the model, and what does its call do?
//! - `script` and `toolset`: how is a script or a toolset of a skill run?
//! - `check`: what is wrong with these files?
//! - `why`: why is a file not used as a skill?
//! - `display`: what does a user interface show?

pub(crate) mod check;
pub(crate) mod commands;
pub(crate) mod display;
mod fill;
pub(crate) mod invoke;
pub(crate) mod knowledge;
pub(crate) mod load;
pub(crate) mod prompt;
pub(crate) mod script;
pub(crate) mod select;
mod substitute;
pub(crate) mod tool;
pub(crate) mod toolset;
pub(crate) mod why;

pub use check::{CheckRequest, check};
pub use commands::{Command, Commands, commands};
pub use display::{SPINNER, StateRow, ToolCallView, state_rows};
pub use invoke::{Fork, Invocation, Message, Pending, invoke};
pub use knowledge::{Hint, knowledge};
pub use load::{LoadRequest, Loaded, load};
pub use prompt::{Prompt, PromptRequest, prompt};
pub use script::{Interpreter, Language, ScriptPlan, script, scripts};
pub use select::{SelectRequest, Selection, Tier, select};
pub use tool::{Tool, call, tool};
pub use toolset::{ToolsetPlan, Toolsets, toolsets};
pub use why::{Outcome, Why, roots, unseen, why};
