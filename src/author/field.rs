//! The fields that a dialect reads, for those who write them: what each means, and what may be written as its value.

use crate::dialect::file::description;
use crate::dialect::{Dialect, FieldRole};

impl Dialect {
    /// The fields that the dialect reads, those that every dialect reads included: the key, and what it means.
    pub fn fields(&self) -> impl Iterator<Item = (&str, &FieldRole)> {
        self.all_fields()
    }
}

/// What may be written as the value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FieldValue {
    /// Any text.
    Text,
    /// `true` or `false`.
    Flag,
    /// One of these words.
    Words(&'static [&'static str]),
    /// A list of texts.
    List,
    /// A map.
    Map,
    /// Anything.
    Any,
}

impl FieldRole {
    /// What the field means, in plain text.
    ///
    /// ```
    /// assert!(skilltree::author::FieldRole::Sandbox.description().starts_with("A flag: the skill runs in a fork"));
    /// ```
    pub fn description(&self) -> String {
        description(self)
    }

    /// What may be written as its value.
    pub fn value(&self) -> FieldValue {
        match self {
            FieldRole::Name
            | FieldRole::Description
            | FieldRole::Version
            | FieldRole::License
            | FieldRole::Compatibility
            | FieldRole::ArgumentHint
            | FieldRole::Namespace
            | FieldRole::WhenToUse
            | FieldRole::Agent
            | FieldRole::Model
            | FieldRole::Effort
            | FieldRole::Brief => FieldValue::Text,
            FieldRole::Pinned
            | FieldRole::NotForModel
            | FieldRole::ForUser
            | FieldRole::Background
            | FieldRole::Sandbox
            | FieldRole::DefaultEnabled
            | FieldRole::ForModel => FieldValue::Flag,
            FieldRole::Context => FieldValue::Words(&["inline", "fork"]),
            FieldRole::Shell => FieldValue::Words(&["bash", "powershell"]),
            FieldRole::AllowedTools
            | FieldRole::NeedsBins
            | FieldRole::NeedsEnv
            | FieldRole::Knowledge
            | FieldRole::Arguments
            | FieldRole::Paths
            | FieldRole::Permissions
            | FieldRole::DisallowedTools
            | FieldRole::Toolsets
            | FieldRole::Scripts
            | FieldRole::Keywords
            | FieldRole::Verbs
            | FieldRole::Patterns
            | FieldRole::Products(_) => FieldValue::List,
            FieldRole::Metadata => FieldValue::Map,
            FieldRole::Kept | FieldRole::Removed(_) => FieldValue::Any,
        }
    }

    /// Whether the value is one text.
    pub(crate) fn is_text(&self) -> bool {
        matches!(self.value(), FieldValue::Text | FieldValue::Words(_))
    }
}
