//! What a skill gives when it is loaded, invoked or called. Each file has one question:
//!
//! - `load`: what is the text of a skill? `substitute` inserts the arguments, `knowledge` points to knowledge files.
//! - `invoke`: what does a line do that the user has typed?
//! - `script` and `toolset`: how is a script or a toolset of a skill run?
//! - `tool`: what is the tool for the model, and what does its call do?
//! - `display`: what does a user interface show?

pub(crate) mod display;
pub(crate) mod invoke;
pub(crate) mod knowledge;
pub(crate) mod load;
pub(crate) mod script;
pub(crate) mod substitute;
pub(crate) mod tool;
pub(crate) mod toolset;

pub use display::StateRow;
pub use knowledge::KnowledgeHint;
pub use script::{Interpreter, Language, ScriptPlan};
pub use toolset::{ToolsetPlan, ToolsetPlans};
