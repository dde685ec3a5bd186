//! The part of a dialect that says what else decides about skills besides their own files: the settings files of the
//! client, a second file of fields beside each SKILL.md, and on what each fact of the table rests.

use super::file::macros::described;
use super::{Base, Field};
use std::borrow::Cow;

described! {
/// The settings files of a client, and what is read in them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SettingsRule {
    /// The files, from lowest to highest precedence. They are JSON, in which comments and trailing commas are accepted, or
    /// TOML if their names end in `.toml`.
    pub(crate) files: Cow<'static, [SettingsFile]>,
    /// What is read in each of them.
    pub(crate) keys: Cow<'static, [Setting]>,
}

/// A settings file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SettingsFile {
    /// The folder that `path` starts from: `Base::Home`.
    pub(crate) base: Base,
    /// The path of the file below the base: `.claude/settings.json`.
    pub(crate) path: Cow<'static, str>,
}

/// A value that is read in settings files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Setting {
    /// The key of the value. A slash leads into an object: `permissions/deny`. A dot that is a part of one key has a
    /// backslash before it: `chat\.useAgentSkills`.
    pub(crate) key: Cow<'static, str>,
    /// What it means: `SettingRole::Disabled`.
    pub(crate) role: SettingRole,
}

/// What a value of a settings file means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SettingRole {
    /// A flag: `false` switches all skills off.
    Enabled,
    /// A list of what only plugins may bring: `skills` in it, or `true` instead of a list, switches off the skills of the
    /// user and of the project. It counts only in the file of an administrator.
    PluginsOnly,
    /// A list of further folders of skills, which have precedence over all sources of the table.
    Folders,
    /// A map of folders to flags: `false` switches off the source of this path, and `true` adds the folder as a source
    /// of lowest precedence.
    FolderSwitches,
    /// A flag: `true` looks for the sources of the project in the folders above it too, up to the root of the repository, the
    /// nearest first.
    Parents,
    /// A list of the names of skills that are switched off. The lists of all files count.
    Disabled,
    /// A list of maps with a `name` or the `path` of a SKILL.md, and whether such skills are `enabled`. The last one that
    /// is about a skill counts.
    Switches,
    /// A map of names to `on`, `name-only`, `user-invocable-only` or `off`.
    Overrides,
    /// A list of permission rules: a skill whose rule is in it, such as `Skill(pdf)` for the load tool `Skill`, is refused to
    /// the model.
    DeniedRules,
    /// `allow`, `ask` or `deny`, or a map of patterns of names to these. A skill with `deny` is hidden from the model;
    /// the last pattern that matches counts.
    Permission,
    /// A flag: `true` keeps commands in bodies from being run.
    NoCommands,
    /// A number: how large the list may be, as a share of the context window.
    BudgetShare,
    /// A number: how many tokens the rows of the list may cost, at most 10 000.
    MaxTokens,
    /// A flag: `false` leaves the list out of the prompt.
    Listed,
    /// A number: how many characters of a description are shown at most.
    MaxDescription,
}

/// A second file of fields beside each SKILL.md.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SidecarRule {
    /// Its path below the folder of the skill: `agents/openai.yaml`. It is a YAML file.
    pub(crate) path: Cow<'static, str>,
    /// The fields that are read in it. A file that cannot be read, or in which one of these has a wrong type, is ignored
    /// as a whole.
    pub(crate) fields: Cow<'static, [Field]>,
    /// The keys whose values must be maps, although no field of theirs is read: `interface`.
    pub(crate) maps: Cow<'static, [Cow<'static, str>]>,
}

/// The evidence for a part of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Basis {
    /// The part: `sources`.
    pub(crate) part: Cow<'static, str>,
    /// Its source: `Evidence::ThirdParty`.
    pub(crate) evidence: Evidence,
    /// What is known and what is not: `the vendor documents no precedence`.
    pub(crate) note: Cow<'static, str>,
}

/// The source of a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Evidence {
    /// The client's source code or its own tests.
    Source,
    /// The vendor's documentation.
    Documentation,
    /// Somebody's observation of the running client.
    Observed,
    /// A third party's account of a closed client.
    ThirdParty,
    /// None: the fact is unknown, and the table assumes the most common behaviour.
    Unknown,
}
}
