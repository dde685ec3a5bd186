//! The location of a finding for other programs: the file on the disk, and the place in it.

use crate::setup::Setup;
use skilltree::{Diagnostic, FsPath, Position, visible};

/// Where a finding is.
pub(crate) struct Location {
    /// The file or folder on the disk.
    pub(crate) file: FsPath,
    /// Where the wrong part begins and ends; `None` if the finding is about the whole file, or about a file in an
    /// archive, as a line of the archive itself means nothing.
    pub(crate) range: Option<(Position, Option<Position>)>,
    /// The path in the archive and the place in that file.
    pub(crate) member: Option<String>,
}

impl Location {
    pub(crate) fn of(setup: &Setup, finding: &Diagnostic) -> Location {
        let Some(archive) = setup.archive_of(&finding.path) else {
            let range = finding.at.map(|at| (at, finding.to));
            return Location { file: finding.path.clone(), range, member: None };
        };
        let inside = finding.path.relative_to(&archive).filter(|inside| !inside.is_empty());
        let member = inside.map(|inside| match finding.at {
            Some(at) => format!("{}:{}:{}", visible(inside), at.line, at.column),
            None => visible(inside).into_owned(),
        });
        Location { file: archive, range: None, member }
    }

    /// The message, with the place in the archive before it.
    pub(crate) fn with_member(&self, message: &str) -> String {
        match &self.member {
            Some(member) => format!("{member}: {message}"),
            None => message.to_owned(),
        }
    }
}
