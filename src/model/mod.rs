//! The types that the whole engine shares: a skill, what a call may ask of its caller (files, places, host), and the
//! errors.

pub(crate) mod error;
#[cfg(feature = "digest")]
pub mod given;
pub(crate) mod parsed;
pub(crate) mod reading;
pub(crate) mod skill;
pub(crate) mod world;

pub use parsed::ParsedFrontmatters;
pub use reading::Reading;
pub use skill::{
    Audience, Caller, Context, Decision, Frontmatter, Needs, Origin, Permission, Requirement, RunSettings, ScriptList,
    Skill, Source, State, Triggers, Visibility,
};
pub use world::{Fingerprint, Host, Override, Places, Trust, World};
