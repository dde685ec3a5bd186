//! Where the skills are that a caller may not see, so that the files of one that is nested in another are not handed
//! out with that one's.

use crate::discovery::catalog::Catalog;
use crate::discovery::manifest::is_alone;
use crate::model::skill::{Caller, Location, Skill, State};
use std::collections::BTreeSet;

/// The real folders and files of skills that a caller may not see, those among them that are invalid: what their
/// authors meant to hide is not known.
pub(crate) struct Hidden(BTreeSet<String>);

impl Hidden {
    pub(crate) fn of(catalog: &Catalog, caller: Caller) -> Hidden {
        let mut hidden = BTreeSet::new();
        let is_hidden = |skill: &&Skill| !skill.is_for(caller) || skill.state == State::Disabled;
        let shadowed = catalog.shadowed().iter().map(|shadowed| &shadowed.skill);
        for skill in catalog.skills().iter().chain(shadowed).filter(is_hidden) {
            let Location { path, dir, file } = skill.location();
            if !is_alone(&path) {
                hidden.insert(dir.as_str().to_owned());
            }
            hidden.insert(file.as_str().to_owned());
        }
        for (path, folder) in catalog.skipped() {
            let skipped = if is_alone(path) { path } else { folder };
            hidden.insert(skipped.as_str().to_owned());
        }
        Hidden(hidden)
    }

    /// The names of those that are in a skill's folder. The folder itself is not among them, whatever else is in it.
    pub(crate) fn within(&self, at: &Location) -> Vec<String> {
        let prefix = format!("{}/", at.dir.as_str().trim_end_matches('/'));
        let within = self.0.range(prefix.clone()..).take_while(|path| path.starts_with(&prefix));
        let others = within.filter(|path| **path != at.file.as_str());
        others
            .filter_map(|path| path.strip_prefix(&prefix))
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect()
    }
}
