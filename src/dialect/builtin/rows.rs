//! Short forms for writing tables: texts, rows, and the wording that all built-in dialects share.

#![allow(clippy::declare_interior_mutable_const, reason = "each table has templates of its own")]

use crate::dialect::*;

/// A text of a table.
pub(super) const fn text(text: &'static str) -> Cow<'static, str> {
    Cow::Borrowed(text)
}

/// The rows of a part of a table.
pub(super) const fn rows<T: Clone>(rows: &'static [T]) -> Cow<'static, [T]> {
    Cow::Borrowed(rows)
}

/// The errors of skills that run as a task of their own, in the words that all built-in dialects share.
pub(super) const PROMPT_MISSING: Template = Template::new("Skill \"{key}\" requires prompt in sandbox mode.");
pub(super) const PERMISSION_NOT_HELD: Template = Template::new("Cannot attach permission '{tag}' - you don't have it.");

/// What a user sees of a call, in the words that all built-in dialects share.
// Rule 1.4
pub(super) const CALL_VIEW: CallWording = CallWording {
    loading: Template::new("⚡{tool}\n  {spinner} Loading skill..."),
    loaded: Template::new("⚡{tool}({key})\n  ⎿  Loaded: {key}{?resources} [{resources}]{/}"),
    refused: Template::new("⚡{tool}({asked})\n  ✗  {reason}"),
    unknown: Template::new("Skill not found: {asked}"),
    disabled: Template::new("Skill is disabled: {key}"),
};

/// A row of a field table.
pub(super) const fn field(path: &'static str, role: FieldRole, necessity: Necessity) -> Field {
    Field { path: text(path), role, necessity }
}

/// A row of a source table for a folder of skills.
pub(super) const fn source(
    base: Base,
    path: &'static str,
    label: &'static str,
    scope: &'static str,
    origin: Origin,
) -> SourceRule {
    source_of_kind(SourceKind::Folders, base, path, label, scope, origin)
}

/// A row of a source table for a folder of this kind.
pub(super) const fn source_of_kind(
    kind: SourceKind,
    base: Base,
    path: &'static str,
    label: &'static str,
    scope: &'static str,
    origin: Origin,
) -> SourceRule {
    SourceRule { base, path: text(path), project_fallback: None, kind, label: text(label), scope: text(scope), origin }
}

/// A row of a source table for the skills that ship with the agent. They lie at `otherwise` in the project if the
/// caller names no folder for them.
pub(super) const fn bundled(label: &'static str, otherwise: &'static str) -> SourceRule {
    SourceRule {
        base: Base::Bundled,
        path: text(""),
        project_fallback: Some(text(otherwise)),
        kind: SourceKind::Folders,
        label: text(label),
        scope: text("bundled"),
        origin: Origin::Bundled,
    }
}
