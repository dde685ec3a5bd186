//! The paths in settings.

use super::super::{Folder, SettingPlace};
use super::{Found, Reader, SetBy};
use crate::path::FsPath;

impl Reader<'_> {
    /// The folder that a value names.
    pub(super) fn folder(&self, text: &str, found: &Found<'_>, line: usize) -> Folder {
        let place = || SettingPlace { file: self.path.clone(), line: line.max(1), setting: found.name.clone() };
        let named_at = (self.set_by == SetBy::Project).then(place);
        Folder { text: text.to_owned(), path: self.path(text), named_at }
    }

    /// The path that a value names: `~/` at the start is the home directory, and other relative paths start from the
    /// project.
    pub(super) fn path(&self, text: &str) -> Option<FsPath> {
        let places = self.world.places;
        let (base, rest) = match (text, text.strip_prefix("~/")) {
            ("~", _) => (places.home.as_ref(), ""),
            (_, Some(rest)) => (places.home.as_ref(), rest),
            (_, None) => (places.project.as_ref(), text),
        };
        base.and_then(|base| if rest.is_empty() { Some(base.clone()) } else { self.world.fs.parse(rest, base) })
    }
}
