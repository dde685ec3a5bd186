//! Which folders a dialect takes to be the user's own, whose skills are trusted.

use crate::dialect::{Base, Dialect, SourceRule};
use crate::discovery::world::Places;
use crate::model::skill::Origin;
use crate::path::FsPath;

impl Places {
    /// The folders of the home directory that hold the user's own skills.
    pub fn home_folders(&self, dialect: &Dialect) -> Vec<FsPath> {
        let own = dialect.sources.iter().filter(|rule| rule.base == Base::Home && rule.origin == Origin::User);
        own.filter_map(|rule| self.home.as_ref()?.join(&rule.path).ok()).collect()
    }

    /// The roots of the sources whose skills are trusted as the user's own, without those that the user has named, each with
    /// the label of its source.
    pub fn trusted_roots<'d>(&self, dialect: &'d Dialect) -> Vec<(&'d str, FsPath)> {
        let root = |rule: &'d SourceRule| {
            let base = match rule.base {
                _ if rule.origin == Origin::Project => None,
                Base::Home => self.home.as_ref(),
                Base::Config => self.config.as_ref(),
                Base::User => self.user.as_ref(),
                Base::Managed => self.managed.as_ref(),
                Base::Bundled if rule.origin != Origin::Bundled => self.bundled.as_ref(),
                _ => None,
            };
            Some((&*rule.label, base?.join(&rule.path).ok()?))
        };
        dialect.sources.iter().filter_map(root).collect()
    }
}
