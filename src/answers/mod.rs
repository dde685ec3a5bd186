//! The answers to questions about a catalog. Each file has one question:
//!
//! - `prompt`: which skills are listed in the system prompt? `prompt/fit` applies the budget, `prompt/rows` writes rows.
//! - `search`: which skills fit a request in words? `search/index` has the words, `search/rank` says how much they count.
//! - `select`: which skills does a message of the user need?
//! - `load`: what is the text of a skill? `substitute` inserts the arguments, `knowledge` points to knowledge files.
//! - `commands` and `invoke`: which commands may the user type, and what does a typed line do?
//! - `tool`: what is the tool for the model, and what does its call do?
//! - `session`: what has a conversation been shown and loaded, and what is put back after it was compacted?
//! - `receipt`: what was an answer made of, and is it the same if it is made again?
//! - `script` and `toolset`: how is a script or a toolset of a skill run?
//! - `beyond`: which skills lie where discovery does not look? `beyond/nested` finds sources below the project.
//! - `check`: what is wrong with these files?
//! - `why`: why is a file not used as a skill?
//! - `elsewhere`: in which other dialects is there a skill of this name?
//! - `matrix`: what becomes of each file in several dialects? `matrix/rule` names the rules that decide.
//! - `overview`: which clients are here, and what does each of them see, use and lose?
//! - `display`: what does a user interface show?

pub(crate) mod beyond;
pub(crate) mod check;
pub(crate) mod commands;
pub(crate) mod display;
pub(crate) mod elsewhere;
pub(crate) mod fill;
pub(crate) mod invoke;
pub(crate) mod knowledge;
pub(crate) mod load;
pub(crate) mod matrix;
pub(crate) mod overview;
pub(crate) mod prompt;
#[cfg(feature = "receipts")]
pub(crate) mod receipt;
pub(crate) mod script;
pub(crate) mod search;
pub(crate) mod select;
#[cfg(feature = "digest")]
pub(crate) mod session;
pub(crate) mod substitute;
pub(crate) mod tool;
pub(crate) mod toolset;
pub(crate) mod why;

pub use beyond::{Beyond, beyond};
pub use check::{CheckRequest, check, check_seen, check_sources};
pub use commands::{Command, Commands, commands};
pub use display::{SPINNER, StateRow, ToolCallView, call_view, load_view, state_rows};
pub use elsewhere::{Elsewhere, elsewhere};
pub use invoke::{Fork, Invocation, Message, Pending, invoke};
pub use knowledge::{Hint, knowledge};
pub use load::{LoadRequest, Loaded, load, load_file};
pub use matrix::{Cell, CellState, Matrix, MatrixColumn, MatrixRow, MatrixTable, matrix};
pub use overview::{ClientOverview, Foremost, Overview, clients_here, overview};
pub use prompt::{Prompt, PromptRequest, PromptRow, Query, prompt, prompt_row};
#[cfg(feature = "receipts")]
pub use receipt::{
    Difference, Differing, Given, Question, Receipt, ReceiptError, Recorder, Replay, ReplayRequest, Request, replay,
};
pub use script::{Interpreter, Language, ScriptPlan, script, scripts};
pub use search::{Hit, Hits, SearchField, SearchIndex, SearchRequest, search};
pub use select::{SelectRequest, Selection, Tier, select};
#[cfg(feature = "digest")]
pub use session::{Event, Missing, ReattachRequest, Reattached, Sent, Session, SessionError, SessionEvent, reattach};
pub use tool::{Tool, call, tool, unknown_skill_text};
pub use toolset::{ToolsetPlan, Toolsets, toolsets};
pub use why::{Outcome, Why, roots, unseen, unseen_above_project, why};
