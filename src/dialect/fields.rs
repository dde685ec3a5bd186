//! Types only: the fields of a frontmatter, and what they say.

use super::Dialect;
use std::borrow::Cow;

/// A field of the frontmatter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The key; a dot leads into a map: `sven.always`.
    pub path: Cow<'static, str>,
    /// What it says.
    pub slot: FieldRole,
    /// Whether it must be there.
    pub need: Necessity,
}

/// What a field says. Its kind (text, flag, list, map) follows from it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FieldRole {
    /// The name.
    Name,
    /// The description.
    Description,
    /// The version.
    Version,
    /// The licence.
    License,
    /// What the skill needs around it.
    Compatibility,
    /// A map of the author's own.
    Metadata,
    /// A list of tools.
    AllowedTools,
    /// What to type after the command.
    ArgumentHint,
    /// A flag: always in the prompt.
    Pinned,
    /// A flag: not for the model.
    NotForModel,
    /// A flag: for the user (true when absent).
    ForUser,
    /// A list of programs that must be there.
    NeedsBins,
    /// A list of environment variables that must be set.
    NeedsEnv,
    /// A list of knowledge files.
    Knowledge,
    /// The part of the key before the colon.
    Namespace,
    /// More of the description.
    WhenToUse,
    /// `inline` or `fork`.
    Context,
    /// The kind of agent for a fork.
    Agent,
    /// The model to use.
    Model,
    /// How hard the model is to think.
    Effort,
    /// A flag: a fork runs while the conversation goes on.
    Background,
    /// The shell for dynamic commands.
    Shell,
    /// A list, by commas or blanks: the names of arguments.
    Arguments,
    /// A list of patterns of files.
    Paths,
    /// A flag: run in a fork with declared permissions.
    Sandbox,
    /// A list of permission tags.
    Permissions,
    /// A list of tools to be without.
    DisallowedTools,
    /// A list of `path:Export`.
    Toolsets,
    /// A list of scripts; an empty one allows none.
    Scripts,
    /// A list of words and phrases to match.
    Keywords,
    /// A list of words for what is done.
    Verbs,
    /// A list of regular expressions.
    Patterns,
    /// The short form of the description.
    Brief,
    /// A flag: a bundled skill is on (true when absent).
    DefaultEnabled,
    /// Kept as data, and no unknown field.
    Kept,
    /// Withdrawn, with what to do instead.
    Removed(Cow<'static, str>),
}

/// Whether a field must be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Necessity {
    /// Without it there is no skill.
    Required,
    /// Without it there is a finding.
    Expected,
    /// It may be absent.
    Optional,
}

/// The fields that every dialect reads (decisions 4), unless its own table names the key.
pub(crate) const COMMON_FIELDS: &[(&str, FieldRole)] = &[
    ("name", FieldRole::Name),
    ("description", FieldRole::Description),
    ("version", FieldRole::Version),
    ("license", FieldRole::License),
    ("compatibility", FieldRole::Compatibility),
    ("metadata", FieldRole::Metadata),
    ("allowed-tools", FieldRole::AllowedTools),
    ("argument-hint", FieldRole::ArgumentHint),
];

impl Dialect {
    /// What a key of the frontmatter says: by the dialect's own table, else by the common one.
    pub(crate) fn role_of(&self, path: &str) -> Option<&FieldRole> {
        let own = self.fields.iter().find(|field| field.path == path).map(|field| &field.slot);
        own.or_else(|| COMMON_FIELDS.iter().find(|(common, _)| *common == path).map(|(_, slot)| slot))
    }

    /// Whether the table has keys within this one: `name.field`.
    pub(crate) fn has_nested_fields(&self, name: &str) -> bool {
        self.fields.iter().any(|field| field.path.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')))
    }
}
