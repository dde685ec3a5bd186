//! The two ways of reading the file of a skill.

/// How files are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reading {
    /// Files are read as their authors meant them, with findings that say how to correct them.
    Repaired,
    /// Nothing is read that the client would not read, by the rules in the part `header` of the dialect.
    Faithful,
}

impl Reading {
    /// `repaired` or `faithful`.
    pub fn as_str(self) -> &'static str {
        match self {
            Reading::Repaired => "repaired",
            Reading::Faithful => "faithful",
        }
    }

    /// The reading of this name; `None` for any other text.
    pub fn named(name: &str) -> Option<Reading> {
        [Reading::Repaired, Reading::Faithful].into_iter().find(|reading| reading.as_str() == name)
    }

    /// The other one.
    #[must_use]
    pub fn other(self) -> Reading {
        match self {
            Reading::Repaired => Reading::Faithful,
            Reading::Faithful => Reading::Repaired,
        }
    }
}
