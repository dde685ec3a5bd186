//! The names of the files in a skill's resource folders, as the walk of a discovery has listed them. Which of them
//! belong to the skill is decided in `package`.

use crate::text::order::sort_by;

/// The conventional folders for the resources of a skill (rule 18.1).
pub(crate) const RESOURCE_FOLDERS: [&str; 3] = ["scripts", "references", "assets"];

/// Ends each name: no path contains this character.
const END: char = '\0';

/// The names of files, relative to the skill's folder, in byte order. They share one allocation, as they are stored for
/// thousands of skills.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ResourceNames(Box<str>);

impl ResourceNames {
    /// The names of the files in one of the resource folders.
    pub(crate) fn in_folder<'n>(&'n self, folder: &'n str) -> impl Iterator<Item = &'n str> {
        let is_in = move |name: &&str| name.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        self.0.split_terminator(END).filter(is_in)
    }
}

/// Collects [`ResourceNames`], folder by folder in any order.
#[derive(Default)]
pub(crate) struct ResourceList(String);

impl ResourceList {
    /// Adds the files of a folder, unless it has been added already.
    pub(crate) fn add<'n>(&mut self, folder: &str, files: impl Iterator<Item = &'n str>) {
        let is_there = |name: &str| name.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        if self.0.split_terminator(END).any(is_there) {
            return;
        }
        for file in files {
            [folder, "/", file].iter().for_each(|part| self.0.push_str(part));
            self.0.push(END);
        }
    }

    /// The names that were added, sorted.
    pub(crate) fn done(self) -> ResourceNames {
        let mut names: Vec<&str> = self.0.split_terminator(END).collect();
        if names.is_sorted() {
            return ResourceNames(self.0.into_boxed_str());
        }
        sort_by(&mut names, Ord::cmp);
        let mut sorted = String::with_capacity(self.0.len());
        for name in names {
            sorted.push_str(name);
            sorted.push(END);
        }
        ResourceNames(sorted.into_boxed_str())
    }
}
