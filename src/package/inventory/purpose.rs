//! Which entries of a skill's folder belong to the skill, for each purpose: one table for listing, serving, approving
//! and archiving, so that what is not listed is not read either.

use crate::discovery::scan::{is_never_entered, is_repository};
use crate::fs::{Action, Entry, FileKind, Step};
use crate::package::activate::MARKER;

/// What the files of a skill are wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To be named to a model, or read by it.
    List,
    /// To be handed to a client with their digests. Links count where they lead inside.
    #[cfg(feature = "digest")]
    Serve,
    /// To be approved: everything that a script could use.
    #[cfg(feature = "digest")]
    Approve,
    /// To be packed or embedded.
    #[cfg(any(feature = "archive", feature = "os"))]
    Archive,
}

impl Purpose {
    /// Whether what has this name belongs to the skill, as does what is in it. Data of version control and installed
    /// packages do not, whatever kind of entry they are: a `.git` may be a file. Some disks ignore letter case.
    pub(crate) fn takes(self, name: &str) -> bool {
        match self {
            #[cfg(feature = "digest")]
            Purpose::Approve => true,
            _ => name == MARKER || !(is_repository(name) || is_never_entered(&name.to_ascii_lowercase())),
        }
    }

    /// The same for a path below the skill's folder. The marker of a copy is ours and no file of the skill.
    pub(crate) fn takes_path(self, path: &str) -> bool {
        match self {
            #[cfg(feature = "digest")]
            Purpose::Approve => true,
            _ => path != MARKER && path.split('/').all(|name| self.takes(name)),
        }
    }

    /// What a walk does with the entries of one folder.
    pub(crate) fn steps(self, entries: &[Entry]) -> impl Iterator<Item = Step> {
        entries.iter().enumerate().filter_map(move |(n, entry)| Some(Step { entry: n, act: self.act(entry)? }))
    }

    fn act(self, entry: &Entry) -> Option<Action> {
        let is_folder = entry.kind == FileKind::Dir && !entry.link;
        match self {
            _ if !self.takes(&entry.name) => None,
            #[cfg(feature = "digest")]
            // What has no name in UTF-8 is noted, and refused: it cannot be approved.
            Purpose::Approve => Some(if is_folder && !entry.lossy { Action::Enter } else { Action::Note }),
            _ if entry.lossy => None,
            _ if is_folder => Some(Action::Enter),
            Purpose::List => (entry.kind == FileKind::File).then_some(Action::Note),
            #[cfg(feature = "digest")]
            Purpose::Serve => Some(Action::Note),
            #[cfg(any(feature = "archive", feature = "os"))]
            Purpose::Archive => Some(Action::Note),
        }
    }
}
