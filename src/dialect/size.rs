//! How large a SKILL.md may be (rule 4.1).

use super::Dialect;

/// The most bytes of a SKILL.md that are read in any dialect, so that every read is bounded.
pub(crate) const MAX_SKILL_BYTES: u64 = 16_777_216;

impl Dialect {
    /// How many bytes a SKILL.md may have: `max_bytes`, but at most 16 777 216 (rule 4.1).
    #[must_use]
    pub fn max_skill_bytes(&self) -> u64 {
        self.max_bytes.map_or(MAX_SKILL_BYTES, |most| most.min(MAX_SKILL_BYTES))
    }
}
