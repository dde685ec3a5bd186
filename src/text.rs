//! Text tools that know no skill words: lines, frontmatter, YAML, JSON, repair, templates, escaping, words.
//! Each takes `&str` and returns a value or its own small error; none looks at a file.

pub(crate) mod lines;
pub(crate) mod frontmatter;
pub mod yaml;
pub mod json;
pub(crate) mod repair;
pub mod template;
pub(crate) mod escape;
pub(crate) mod words;
