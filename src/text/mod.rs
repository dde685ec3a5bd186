//! Text tools that know no skill words: lines, frontmatter, YAML, JSON, numbers, lower case, repair, templates, escaping,
//! words, phrases, patterns, JSON schema.
//! Each takes `&str` and returns a value or its own small error; none looks at a file.

mod automaton;
pub(crate) mod budget;
pub(crate) mod digest;
pub(crate) mod escape;
pub(crate) mod frontmatter;
pub(crate) mod json;
pub(crate) mod lines;
pub(crate) mod list;
pub(crate) mod lower;
pub(crate) mod number;
pub(crate) mod order;
pub(crate) mod pattern;
pub(crate) mod phrases;
pub(crate) mod repair;
#[cfg(feature = "toolsets")]
pub(crate) mod schema;
pub(crate) mod template;
pub(crate) mod words;
pub(crate) mod yaml;

pub use digest::Digest;
pub use escape::visible;
pub use json::{Json, JsonError};
pub use template::{Template, TemplateError};
