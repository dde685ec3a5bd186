//! The part of a dialect that says where skills are looked for: its sources, and how their folders are scanned.
//! `discovery::source` and `discovery::scan` apply these rules.

use super::Permitted;
use super::file::macros::described;
use crate::model::skill::Origin;
use std::borrow::Cow;

described! {
/// A source: a folder in which skills are looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SourceRule {
    /// The folder that `path` starts from: `Base::Home`.
    pub(crate) base: Base,
    /// The path of the source below the base: `.claude/skills`.
    pub(crate) path: Cow<'static, str>,
    /// A path below the project that is used if the caller names no such base: `src/_bundled_skills`.
    pub(crate) project_fallback: Option<Cow<'static, str>>,
    /// What the folder holds: `SourceKind::Folders`.
    #[default = "folders"]
    pub(crate) kind: SourceKind,
    /// The label of the source, unique in the table: `project-claude`.
    pub(crate) label: Cow<'static, str>,
    /// The scope of the source in the skill system's own words: `ClaudeUser`.
    pub(crate) scope: Cow<'static, str>,
    /// Who the skills come from: `Origin::Project`.
    pub(crate) origin: Origin,
    /// In which folders besides the base itself such a source is looked for: `Reach::Below`.
    #[default = "base"]
    pub(crate) reach: Reach,
    /// Whether folders are entered whose names begin with a dot, if it is not as in [`scan.hidden`](ScanRule::hidden).
    pub(crate) hidden: Option<Permitted>,
    /// How symlinks to folders in the source are followed: `LinkedFolders::Inside`.
    #[default = "followed"]
    pub(crate) linked_folders: LinkedFolders,
}

/// In which folders besides its base a source is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// In no other.
    Base,
    /// In the folders above the base too. Rules that follow each other in the table and have the same reach are applied
    /// together, folder by folder.
    Ancestors(Ancestors),
    /// Only in folders below the base, on the way to the files that are being worked on:
    /// [`Places::touched`](crate::Places::touched).
    Below,
}

/// Which folders above a base hold sources too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ancestors {
    /// The precedence of the nearest folder: `Nearest::Highest`.
    pub(crate) nearest: Nearest,
    /// Whether all folders above the base count if it lies in no repository: `Permitted::No`. If it lies in one, those up to
    /// the root of the repository do.
    pub(crate) outside_repository: Permitted,
}

/// The precedence of the nearest of several folders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nearest {
    /// The nearest folder has the highest precedence.
    Highest,
    /// The nearest folder has the lowest precedence.
    Lowest,
}

/// How symlinks to folders in a source are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinkedFolders {
    /// Like folders.
    Followed,
    /// Only the SKILL.md in the folder itself is read, and the folders below it are not entered.
    OwnSkill,
    /// Like folders if they lead to a folder in the same source; others are not followed.
    Inside,
    /// They are not followed.
    Ignored,
}

/// The folder that a source starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    /// The user's home directory: [`Places::home`](crate::Places::home).
    Home,
    /// The project: [`Places::project`](crate::Places::project).
    Project,
    /// The skills that ship with the agent: [`Places::bundled`](crate::Places::bundled).
    Bundled,
    /// The agent's configuration folder: [`Places::config`](crate::Places::config).
    Config,
    /// The user's folder, if that is not the home directory: [`Places::user`](crate::Places::user).
    User,
    /// The folder that an administrator manages: [`Places::managed`](crate::Places::managed).
    Managed,
    /// None, as the caller registers each skill: [`Places::registered`](crate::Places::registered). Each is a SKILL.md or a
    /// folder that holds one, whatever the kind of the source.
    Registered,
}

/// What a source holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SourceKind {
    /// Folders of skills: `pdf/SKILL.md` below the root.
    Folders,
    /// Plugins: each folder in the root, and those that a JSON file names in which `plugins` is a map of their ids to lists of
    /// installations, each with an `installPath`.
    Plugins {
        /// The name of this file, which lies in the root: `installed_plugins.json`. `None` if there is none.
        list: Option<Cow<'static, str>>,
        /// The path of the folder of skills below that of a plugin: `skills`.
        skills: Cow<'static, str>,
    },
    /// Command files: each Markdown file directly in the root is a skill, which is named as the file without its
    /// extension. A skill of another kind with the same key has precedence over it, whatever its source.
    Commands,
}

/// How the folders of a source are scanned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ScanRule {
    /// How many levels of folders below the root may hold skills: `Some(1)` for `pdf/SKILL.md` only; `None` for any.
    pub(crate) depth: Option<usize>,
    /// Whether a SKILL.md directly in the root is a skill: `Permitted::No`. If not, it is reported.
    pub(crate) root: Permitted,
    /// Names of folders directly below the root that belong to the skill system and are not entered, in any letter
    /// case: `synced`.
    pub(crate) reserved: Cow<'static, [Cow<'static, str>]>,
    /// Names of folders that are never entered: `node_modules`.
    pub(crate) skipped: Cow<'static, [Cow<'static, str>]>,
    /// Whether folders are entered whose names begin with a dot: `Permitted::Yes`.
    pub(crate) hidden: Permitted,
    /// Whether a SKILL.md that is a symlink is read: `Permitted::Yes`. If not, it is reported.
    pub(crate) linked_files: Permitted,
}
}
