//! What a catalog is turned into: the prompt's section, a loaded text, a message, a tool, a plan, a reason.

pub(crate) mod check;
pub(crate) mod commands;
pub(crate) mod display;
pub(crate) mod invoke;
pub(crate) mod knowledge;
pub(crate) mod load;
pub(crate) mod prompt;
pub(crate) mod script;
pub(crate) mod select;
pub(crate) mod substitute;
pub(crate) mod tool;
pub(crate) mod toolset;
pub(crate) mod why;

pub use check::{CheckRequest, check};
pub use commands::{Command, Commands, commands};
pub use display::{SPINNER, StateRow, ToolCallView, state_rows};
pub use invoke::{Fork, Invocation, Message, Pending, invoke};
pub use knowledge::{Hint, knowledge};
pub use load::{LoadRequest, Loaded, load};
pub use prompt::{Prompt, PromptRequest};
pub use script::{Interpreter, Language, ScriptPlan, script, scripts};
pub use select::{SelectRequest, Selection, Tier, prompt, select};
pub use tool::{Tool, call, tool};
pub use toolset::{ToolsetPlan, Toolsets, toolsets};
pub use why::{Outcome, Why, roots, unseen, why};
