//! Text tools that know nothing of skills but the common fields: lines, frontmatter, YAML and its repair, JSON and JSON schema, numbers,
//! lower case, Markdown, escaping, templates, words, phrases and patterns. None of them reads a file.

mod automaton;
pub(crate) mod budget;
pub(crate) mod digest;
pub(crate) mod escape;
pub(crate) mod frontmatter;
pub(crate) mod glob;
#[cfg(feature = "digest")]
pub(crate) mod hosts;
pub(crate) mod json;
pub(crate) mod lines;
pub(crate) mod list;
pub(crate) mod locale;
pub(crate) mod lower;
pub(crate) mod markdown;
pub(crate) mod number;
pub(crate) mod order;
pub(crate) mod pattern;
pub(crate) mod percent;
pub(crate) mod phrases;
pub(crate) mod repair;
#[cfg(feature = "processes")]
pub(crate) mod schema;
pub(crate) mod template;
pub(crate) mod terms;
pub(crate) mod toml;
pub(crate) mod unseen;
pub(crate) mod words;
pub(crate) mod yaml;
pub(crate) mod yaml11;
