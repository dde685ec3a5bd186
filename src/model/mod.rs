//! What the engine talks about: a skill, where a call looks and whom it asks, and why a call has no answer.

pub(crate) mod error;
pub(crate) mod skill;
pub(crate) mod world;

pub use skill::{
    Audience, Caller, Context, Frontmatter, Needs, Origin, Permission, Requirement, RunSettings, ScriptList, Skill,
    Source, State, Triggers,
};
pub use world::{Fingerprint, Host, Override, Places, Trust, World};
