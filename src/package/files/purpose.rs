//! The table of purposes: which entries of a skill's folder each of them includes, where symlinks may lead, and how much
//! is looked at. Everything in the library that hands out, compares, copies or packs the files of a skill goes by a row of it.
//! The commands `verify` and `lock` read the files that records cover.

use crate::discovery::manifest::is_skill_file;
use crate::discovery::scan::{OWN_PREFIX, is_never_entered_in_any_case, is_repository};
use crate::package::activate::MARKER;

/// What the files of a skill are wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// To be named to a model, read by it, or run as scripts. Nested skills list their files themselves.
    List,
    /// To be handed to a client with their digests, nested skills included.
    Serve,
    /// To be approved: everything that a script could use, files that symlinks lead to outside the folder included.
    Approve,
    /// To be copied for use.
    Copy,
    /// To be packed or embedded. Symlinks to folders inside are entered.
    Archive,
}

impl Purpose {
    /// Every purpose.
    pub const ALL: [Purpose; 5] = [Purpose::List, Purpose::Serve, Purpose::Approve, Purpose::Copy, Purpose::Archive];
}

/// The names that do not belong to a skill, wherever in its folder they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExcludedNames {
    Nothing,
    /// Folders of version control data, and those that an interrupted run left behind.
    RepositoryFolders,
    /// Version control data and installed packages, whatever kind of entry they are: a `.git` may be a file.
    RepositoriesAndPackages,
}

/// Where a symlink to a file must lead for the file to belong to the skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AllowedTargets {
    /// To what is in the skill's folder and belongs to the skill itself.
    Included,
    /// To anywhere in the skill's folder.
    Inside,
    /// To any file. A symlink to a folder outside is an error: what is added to that folder later would not be covered
    /// by the approval.
    Anywhere,
}

/// The problems for which the files are refused with an error. Each variant includes the problems of those before it.
/// Any other problem is recorded in `Package::others`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Refused {
    Nothing,
    Unlisted,
    /// A symlink of which nobody can say where it leads.
    Unfollowed,
    Unnamed,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    pub(super) excluded: ExcludedNames,
    /// Whether the file that marks a copy, at the top of the folder, is excluded.
    pub(super) excludes_marker: bool,
    /// Whether files called SKILL.md in any letter case, at the top of the folder, are excluded but for the skill's own.
    pub(super) excludes_manifests: bool,
    pub(super) excludes_nested_skills: bool,
    pub(super) targets: AllowedTargets,
    /// Whether a symlink to a folder inside is entered, as if the folder were there twice.
    pub(super) enters_symlinks: bool,
    /// Whether the skill's own file belongs to it even if it is a symlink that leads out.
    pub(super) includes_linked_manifest: bool,
    pub(super) refused: Refused,
    /// How many folders are listed, the skill's own included.
    pub(super) max_folders: usize,
    pub(super) max_depth: usize,
    /// How many entries there may be, and what an error calls them.
    pub(super) max_entries: (usize, &'static str),
    pub(crate) max_files: usize,
    /// How many bytes all files may have together.
    pub(crate) max_bytes: u64,
}

/// What the rows have in common. Each row states only what differs from this.
const USUAL: Rules = Rules {
    excluded: ExcludedNames::RepositoriesAndPackages,
    excludes_marker: true,
    excludes_manifests: false,
    excludes_nested_skills: false,
    targets: AllowedTargets::Included,
    enters_symlinks: false,
    includes_linked_manifest: true,
    refused: Refused::Unfollowed,
    max_folders: 10_000,
    max_depth: usize::MAX,
    max_entries: (usize::MAX, "files and folders"),
    max_files: usize::MAX,
    max_bytes: u64::MAX,
};

impl Purpose {
    pub(crate) fn filter(self) -> Filter<'static> {
        Filter { rules: self.rules(), hidden: &[] }
    }

    pub(crate) const fn rules(self) -> Rules {
        match self {
            Purpose::List => Rules { excludes_nested_skills: true, refused: Refused::Nothing, ..USUAL },
            // These are the bounds of the Skills extension of the Model Context Protocol.
            Purpose::Serve => Rules { max_files: 512, max_bytes: 16_777_216, ..USUAL },
            // Nested skills are included. The limits allow what can be hashed in about a second.
            Purpose::Approve => Rules {
                excluded: ExcludedNames::Nothing,
                excludes_marker: false,
                targets: AllowedTargets::Anywhere,
                refused: Refused::Unnamed,
                max_folders: 100_000,
                max_entries: (100_000, "files, folders and links"),
                max_bytes: 268_435_456,
                ..USUAL
            },
            Purpose::Copy => Rules {
                excluded: ExcludedNames::RepositoryFolders,
                excludes_manifests: true,
                targets: AllowedTargets::Inside,
                refused: Refused::Unlisted,
                max_bytes: 268_435_456,
                ..USUAL
            },
            // As much as an archive may hold. Packing fails on the count of entries before that of folders.
            Purpose::Archive => Rules {
                excludes_marker: false,
                enters_symlinks: true,
                includes_linked_manifest: false,
                max_folders: 10_001,
                max_depth: 32,
                max_entries: (10_000, "files and folders"),
                max_bytes: 67_108_864,
                ..USUAL
            },
        }
    }
}

/// Decides which entries of one skill's folder belong to it, by their names alone.
#[derive(Clone, Copy)]
pub(crate) struct Filter<'h> {
    pub(crate) rules: Rules,
    /// Names below the folder, of nested skills that the caller may not see.
    pub(crate) hidden: &'h [String],
}

impl Filter<'_> {
    /// Whether a path below the skill's folder belongs to the skill.
    pub(crate) fn includes(&self, path: &str, is_folder: bool) -> bool {
        let mut entry = Some((path, is_folder));
        while let Some((path, is_folder)) = entry {
            let (dir, name) = path.rsplit_once('/').unwrap_or(("", path));
            if !self.includes_entry(dir, name, is_folder) {
                return false;
            }
            entry = (!dir.is_empty()).then_some((dir, true));
        }
        true
    }

    /// Whether an entry of a folder that belongs to the skill belongs to it too. `dir` is the folder's path below the
    /// skill's, empty for that itself.
    pub(super) fn includes_entry(&self, dir: &str, name: &str, is_folder: bool) -> bool {
        let Rules { excluded, excludes_marker, excludes_manifests, .. } = self.rules;
        let is_top_file = dir.is_empty() && !is_folder;
        let is_excluded = match excluded {
            _ if is_top_file && excludes_marker && name == MARKER => true,
            _ if is_top_file && excludes_manifests && is_skill_file(name) => true,
            ExcludedNames::Nothing => false,
            ExcludedNames::RepositoryFolders => is_folder && (is_repository(name) || name.starts_with(OWN_PREFIX)),
            // Some file systems ignore letter case.
            ExcludedNames::RepositoriesAndPackages => {
                name != MARKER && (is_repository(name) || is_never_entered_in_any_case(name))
            }
        };
        !is_excluded && (self.hidden.is_empty() || self.is_shown(&joined(dir, name)))
    }

    /// Whether a path below the folder is none of the hidden names, and lies in none of them.
    pub(super) fn is_shown(&self, path: &str) -> bool {
        !self.hidden.iter().any(|hidden| {
            path.strip_prefix(hidden.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }
}

/// The path of an entry, by that of its folder below the skill's.
pub(super) fn joined(dir: &str, name: &str) -> String {
    if dir.is_empty() { name.to_owned() } else { [dir, "/", name].concat() }
}
