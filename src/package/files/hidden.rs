//! Where the skills are that a caller may not see, so that the files of one that is nested in another are not handed
//! out with that one's.

use crate::discovery::catalog::Catalog;
use crate::discovery::manifest::is_single_file;
use crate::model::skill::{Caller, Location, Skill, State};
use crate::path::FsPath;
use crate::text::order::sort_by;

/// The real folders and files of skills that a caller may not see, those among them that are invalid: what their
/// authors meant to hide is not known. Sorted, each once.
pub(crate) struct Hidden(Vec<FsPath>);

impl Hidden {
    pub(crate) fn of(catalog: &Catalog, caller: Caller) -> Hidden {
        let mut hidden = Vec::new();
        let is_hidden = |skill: &&Skill| !skill.is_for(caller) || skill.state == State::Disabled;
        let shadowed = catalog.shadowed().iter().map(|shadowed| &shadowed.skill);
        for skill in catalog.skills().iter().chain(shadowed).filter(is_hidden) {
            let Location { path, dir, file } = skill.location();
            if !is_single_file(&path) {
                hidden.push(dir);
            }
            hidden.push(file);
        }
        for (path, folder) in catalog.skipped() {
            hidden.push(if is_single_file(path) { path.clone() } else { folder.clone() });
        }
        sort_by(&mut hidden, Ord::cmp);
        hidden.dedup();
        Hidden(hidden)
    }

    /// The names of those that are in a skill's folder. The folder itself is not among them, whatever else is in it.
    pub(crate) fn within(&self, at: &Location) -> Vec<String> {
        let first = at.dir.before_all_below();
        let start = self.0.partition_point(|path| *path < first);
        let within = self.0[start..].iter().take_while(|path| path.starts_with(&at.dir));
        let others = within.filter(|path| **path != at.file);
        others.filter_map(|path| path.relative_to(&at.dir).map(str::to_owned)).collect()
    }
}
