//! The part of a dialect that says what is put back into a conversation after it was compacted.

use super::file::macros::described;
use crate::text::template::Template;

described! {
/// What is restored after the conversation was compacted, besides the list of skills. The limits are in tokens, of
/// which a text costs one for every four bytes or part of four.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ReattachRule {
    /// How many tokens of each skill are restored at most: `5_000`.
    pub(crate) each: usize,
    /// How many tokens of all skills together are restored at most: `25_000`.
    pub(crate) all: usize,
    /// The text in place of the rest of a skill that does not fit, so that the model can read it:
    /// `The rest is in {path}.` Placeholder: `path`.
    pub(crate) rest: Template,
}
}
