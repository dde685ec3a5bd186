//! What an engine call may ask: a file system to read, the places to look, a host. A [`World`] is a short view,
//! copied freely and never stored. Absent: clock, environment and processes; a host answers for the machine.

use crate::fs::Fs;
use crate::path::FsPath;
use crate::skill::{Requirement, Skill, Source};

/// Everything that a call may ask.
#[derive(Clone, Copy)]
pub struct World<'a> {
    /// The files.
    pub fs: &'a dyn Fs,
    /// Where to look.
    pub places: &'a Places,
    /// The machine and the user's wishes.
    pub host: &'a dyn Host,
}

impl<'a> World<'a> {
    /// A view of these three.
    ///
    /// ```
    /// use skilltree::{FsPath, MemFs, Places, World};
    /// let (fs, places) = (MemFs::new(), Places::default());
    /// let world = World::new(&fs, &places, &());
    /// assert!(world.places.project.is_none());
    /// ```
    pub fn new(fs: &'a dyn Fs, places: &'a Places, host: &'a dyn Host) -> World<'a> {
        World { fs, places, host }
    }
}

/// Where to look. What is absent is not looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// The project's folder.
    pub project: Option<FsPath>,
    /// The user's home directory.
    pub home: Option<FsPath>,
    /// More sources, above all others, from low to high.
    pub roots: Vec<FsPath>,
    /// Whether `roots` are the only sources.
    pub only_roots: bool,
}

/// What the machine and its user would answer. Every answer has a default; `()` meets, trusts and overrides nothing.
pub trait Host {
    /// Whether the machine has what a skill requires.
    fn meets(&self, _need: &Requirement) -> bool {
        false
    }

    /// Whether what the skills of this source ask for may be granted.
    fn trusts(&self, _source: &Source) -> bool {
        false
    }

    /// The host's override for a skill: switched on, off, or as it is.
    fn switch(&self, _skill: &Skill) -> Switch {
        Switch::AsItIs
    }
}

impl Host for () {}

/// A host's override for a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Switch {
    /// No override.
    AsItIs,
    /// On.
    On,
    /// Off.
    Off,
}
