//! The wording of a call for people who watch it, and of the refusals that a dialect words in its own way.

use super::file::macros::described;
use super::{ForkRule, ToolRule};
use crate::model::error::Error;
use crate::text::template::Template;
use crate::text::words::cut;
use std::borrow::Cow;

/// How many characters are shown of a name that is not found. Whoever calls the tool may write any text.
const MAX_ASKED_CHARS: usize = 100;

described! {
/// What a user sees of a call of the load tool.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CallWording {
    /// While the skill is being loaded: `⚡{tool}\n  {spinner} Loading skill...`. Placeholders: `tool`, `spinner`.
    pub(crate) loading: Template,
    /// After the skill was loaded: `⚡{tool}({key})`. Placeholders: `tool`, `key`, `resources` (`2 scripts, 1 ref`).
    pub(crate) loaded: Template,
    /// After the call was refused: `⚡{tool}({asked})\n  ✗  {reason}`. Placeholders: `tool`, `asked`, `reason`.
    pub(crate) refused: Template,
    /// The reason for a skill that does not exist: `Skill not found: {asked}`. Placeholder: `asked`.
    pub(crate) unknown: Template,
    /// The reason for a skill that is switched off: `Skill is disabled: {key}`. Placeholder: `key`.
    pub(crate) disabled: Template,
}
}

impl ToolRule {
    /// What a user sees while a skill is being loaded.
    pub(crate) fn loading_view(&self, spinner: char) -> String {
        filled(&self.view.loading, &[("tool", &self.name), ("spinner", &spinner.to_string())])
    }

    /// What a user sees after the skill was loaded. `resources` says what it brings.
    pub(crate) fn loaded_view(&self, key: &str, resources: &str) -> String {
        filled(&self.view.loaded, &[("tool", &self.name), ("key", key), ("resources", resources)])
    }

    /// What a user sees after the call was refused.
    pub(crate) fn refused_view(&self, asked: &str, reason: &str) -> String {
        filled(&self.view.refused, &[("tool", &self.name), ("asked", &cut(asked, MAX_ASKED_CHARS)), ("reason", reason)])
    }

    /// Why a call was refused, if the dialect has a wording for this error.
    pub(crate) fn refusal_reason(&self, error: &Error) -> Option<String> {
        match error {
            Error::UnknownSkill { asked, .. } => {
                Some(filled(&self.view.unknown, &[("asked", &cut(asked, MAX_ASKED_CHARS))]))
            }
            Error::Disabled { key, .. } => Some(filled(&self.view.disabled, &[("key", key)])),
            _ => None,
        }
    }
}

impl ForkRule {
    /// The error for a call that does not say what a skill is to do.
    pub(crate) fn prompt_missing(&self, key: &str) -> Error {
        Error::PromptMissing { said: filled(&self.prompt_missing, &[("key", key)]) }
    }

    /// The error for a permission that the caller does not have. `tag` names it.
    pub(crate) fn permission_not_held(&self, tag: &str) -> Error {
        Error::PermissionNotHeld { said: filled(&self.permission_not_held, &[("tag", tag)]) }
    }
}

/// Fills the placeholders of a template with these values.
fn filled(template: &Template, values: &[(&str, &str)]) -> String {
    let value = |placeholder: &str| {
        values.iter().find(|(name, _)| *name == placeholder).map(|(_, value)| Cow::Borrowed(*value))
    };
    let mut text = String::new();
    template.render(&value, &mut text);
    text
}
