//! In which way a dialect reads files (rule 4.11).

use super::{Dialect, Reading};

impl Dialect {
    /// The same dialect, but reading files in this way.
    #[must_use]
    pub fn with_reading(&self, reading: Reading) -> Dialect {
        Dialect { reading, ..self.clone() }
    }
}
