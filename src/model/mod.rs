//! The types that the whole engine shares: a skill, and the errors of a call.

pub(crate) mod error;
pub(crate) mod parsed;
pub(crate) mod reading;
pub(crate) mod skill;

pub use parsed::ParsedFrontmatters;
pub use reading::Reading;
pub use skill::{Decision, Frontmatter, Needs, Origin, RunSettings, Source, Triggers};
