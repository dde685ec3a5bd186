//! What is known of a field by its meaning: whether a value has an effect, and what the field is for.

use crate::dialect::{FieldRole, FieldValue, RESTRICTING_FIELDS};
use crate::discovery::manifest::is_absent;
use crate::model::skill::{Context, Frontmatter, ScriptList};
use crate::text::yaml::{Node, Value};

/// Whether a field restricts the skill in every dialect.
pub(super) fn is_restricting(role: &FieldRole) -> bool {
    RESTRICTING_FIELDS.iter().any(|(_, restricting)| restricting == role)
}

/// Whether the value of a field is one text.
pub(super) fn is_text(role: &FieldRole) -> bool {
    matches!(role.value(), FieldValue::Text | FieldValue::Words(_))
}

/// Whether the value of a field is a list of texts. A list of scripts is not: with anything else in it, it is not read.
pub(super) fn is_list(role: &FieldRole) -> bool {
    role.value() == FieldValue::List && *role != FieldRole::Scripts
}

/// Whether a field says something else than it would if it were absent.
pub(super) fn has_effect(role: &FieldRole, own: &Frontmatter, value: &Node) -> bool {
    let is_empty_list = matches!(&value.value, Value::List(items) if items.is_empty());
    match role {
        _ if is_absent(value) => false,
        FieldRole::Removed(_) => false,
        FieldRole::Pinned => own.pinned,
        FieldRole::NotForModel | FieldRole::ForModel => own.not_for_model,
        FieldRole::ForUser => own.not_for_user,
        FieldRole::Sandbox => own.run().sandbox,
        FieldRole::Background => own.run().background == Some(true),
        FieldRole::DefaultEnabled => own.triggers().default_enabled == Some(false),
        FieldRole::Context => own.run().context == Some(Context::Fork),
        FieldRole::Scripts => own.run().scripts != ScriptList::Absent,
        _ => !is_empty_list,
    }
}

/// What a field is for, after "a field for".
pub(super) fn purpose(role: &FieldRole) -> &'static str {
    match role {
        FieldRole::Name => "a name",
        FieldRole::Description => "a description",
        FieldRole::Version => "a version",
        FieldRole::License => "a licence",
        FieldRole::Compatibility => "the environment that a skill needs",
        FieldRole::Metadata => "the author's own data",
        FieldRole::AllowedTools => "allowed tools",
        FieldRole::ArgumentHint => "a hint for arguments",
        FieldRole::Pinned => "skills that are always in the prompt",
        FieldRole::NotForModel | FieldRole::ForModel => "hiding a skill from the model",
        FieldRole::ForUser => "hiding a skill from the user",
        FieldRole::NeedsBins => "required programs",
        FieldRole::NeedsEnv => "required environment variables",
        FieldRole::Knowledge => "knowledge files",
        FieldRole::Namespace => "a namespace",
        FieldRole::WhenToUse => "when to use a skill",
        FieldRole::Context => "running a skill as a task of its own",
        FieldRole::Agent => "the agent that runs a skill",
        FieldRole::Model => "the model to use",
        FieldRole::Effort => "the reasoning effort of the model",
        FieldRole::Background => "running a skill in the background",
        FieldRole::Shell => "the shell of commands",
        FieldRole::Arguments => "the names of arguments",
        FieldRole::Paths => "the files for which a skill is meant",
        FieldRole::Sandbox => "a sandbox",
        FieldRole::Permissions => "permissions",
        FieldRole::DisallowedTools => "disallowed tools",
        FieldRole::Toolsets => "toolsets",
        FieldRole::Scripts => "the scripts that may be run",
        FieldRole::Keywords | FieldRole::Verbs | FieldRole::Patterns => "triggers",
        FieldRole::Brief => "a short description",
        FieldRole::DefaultEnabled => "whether a skill is enabled by default",
        FieldRole::Products(_) => "the products that a skill is for",
        FieldRole::Kept | FieldRole::Removed(_) => "it",
    }
}
