//! In which way a dialect reads files (rule 4.11).

use super::{Dialect, Reading};
use crate::model::world::World;
use std::sync::Arc;

impl Dialect {
    /// The same dialect, but reading files in this way.
    #[must_use]
    pub fn with_reading(&self, reading: Reading) -> Dialect {
        Dialect { reading, ..self.clone() }
    }

    /// The dialect with the reading that counts in a world: that of the world if it has one, else the dialect's own. Whatever
    /// is given a world and a dialect begins with it, so that after it only [`Dialect::reading`] matters.
    pub(crate) fn in_world(self: &Arc<Dialect>, world: &World<'_>) -> Arc<Dialect> {
        match world.reading {
            Some(reading) if reading != self.reading => Arc::new(self.with_reading(reading)),
            Some(_) | None => Arc::clone(self),
        }
    }
}
