//! The two ways of reading the file of a skill.

use crate::text::words::names;

/// How files are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reading {
    /// Files are read as their authors meant them, with findings that say how to correct them.
    Repaired,
    /// Nothing is read that the client would not read, by the rules in the part `header` of the dialect.
    Faithful,
}

names! { Reading named { Repaired = "repaired", Faithful = "faithful" } }

impl Reading {
    /// The other one.
    #[must_use]
    pub fn other(self) -> Reading {
        match self {
            Reading::Repaired => Reading::Faithful,
            Reading::Faithful => Reading::Repaired,
        }
    }
}
