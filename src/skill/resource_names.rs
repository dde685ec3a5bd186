//! The names of the files in a skill's conventional folders, as the walk of a discovery listed them. Which of them
//! belong to the skill is decided where they are asked for.

use crate::path::FsPath;

/// The folders whose files a skill declares by their place (spec S1).
pub(crate) const RESOURCE_FOLDERS: [&str; 3] = ["scripts", "references", "assets"];

/// The names of the files, relative to the skill's folder. They are kept for thousands of skills, so they share one
/// allocation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ResourceNames(Box<str>);

impl ResourceNames {
    /// Behind each name: no path holds this character.
    const END: char = '\0';

    /// Of one folder: those of files that stand in it.
    pub(crate) fn of<'n>(folder: &FsPath, files: impl Iterator<Item = &'n str>) -> ResourceNames {
        let mut names = String::new();
        for file in files {
            [folder.name(), "/", file].iter().for_each(|part| names.push_str(part));
            names.push(ResourceNames::END);
        }
        ResourceNames(names.into_boxed_str())
    }

    /// Those of several folders, in this order.
    pub(crate) fn joined(folders: &[&ResourceNames]) -> ResourceNames {
        let mut names = String::new();
        folders.iter().for_each(|folder| names.push_str(&folder.0));
        ResourceNames(names.into_boxed_str())
    }

    /// The names of the files in one of the folders, in byte order.
    pub(crate) fn in_folder<'n>(&'n self, folder: &'n str) -> impl Iterator<Item = &'n str> {
        let is_in = move |name: &&str| name.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        self.0.split_terminator(ResourceNames::END).filter(is_in)
    }
}
