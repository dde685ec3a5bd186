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

/// The error of skills that run as a task of their own, in the words that all built-in dialects share.
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

/// What is put back after a conversation was compacted. Only Claude Code's documentation has numbers; elsewhere they are
/// the same, as a skill is as long there.
pub(super) const REATTACH: ReattachRule =
    ReattachRule { each: 5_000, all: 25_000, rest: Template::new("[The rest of this skill is in `{path}`.]") };

/// A row of a field table.
pub(super) const fn field(path: &'static str, role: FieldRole, necessity: Necessity) -> Field {
    Field { path: text(path), role, necessity, one_of: None, default: None }
}

/// A row of a field table for an optional text, and what the documents say it is if it is absent.
pub(super) const fn field_or(path: &'static str, role: FieldRole, default: &'static str) -> Field {
    Field { path: text(path), role, necessity: Necessity::Optional, one_of: None, default: Some(text(default)) }
}

/// A row of a field table for an optional text with these values.
pub(super) const fn field_one_of(path: &'static str, role: FieldRole, values: &'static [Cow<'static, str>]) -> Field {
    Field { path: text(path), role, necessity: Necessity::Optional, one_of: Some(rows(values)), default: None }
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
    source_with_reach(kind, (base, path), label, scope, origin, Reach::Base)
}

/// A row of a source table for a folder of this kind with this reach.
pub(super) const fn source_with_reach(
    kind: SourceKind,
    (base, path): (Base, &'static str),
    label: &'static str,
    scope: &'static str,
    origin: Origin,
    reach: Reach,
) -> SourceRule {
    SourceRule {
        base,
        path: text(path),
        project_fallback: None,
        kind,
        label: text(label),
        scope: text(scope),
        origin,
        reach,
        hidden: None,
        linked_folders: LinkedFolders::Followed,
    }
}

/// Plugins as Claude Code lays them out.
pub(super) const PLUGINS: SourceKind =
    SourceKind::Plugins { list: Some(text("installed_plugins.json")), skills: text("skills") };

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
        reach: Reach::Base,
        hidden: None,
        linked_folders: LinkedFolders::Followed,
    }
}

/// How frontmatter is read by a skill system whose document says no more than that it is YAML between two fences.
pub(super) const YAML_HEADER: HeaderRule = HeaderRule {
    byte_order_mark: Permitted::Yes,
    blank_lines_before: Permitted::Yes,
    opening: Fence { before: Beside::Nothing, after: Beside::Blanks },
    closing: Fence { before: Beside::Nothing, after: Beside::Blanks },
    unclosed: Permitted::No,
    invalid_yaml: InvalidYaml::Skip,
    duplicate_keys: Permitted::Yes,
    whitespace: Whitespace::Keep,
    other_scalars: Permitted::Yes,
    other_metadata: Permitted::Yes,
    other_flags: Permitted::Yes,
    null_is_text: Permitted::No,
    unknown_tags: Permitted::Yes,
    markup: Markup::Kept,
};

/// A limit whose breach is reported.
pub(super) const fn limit(role: FieldRole, max_chars: usize) -> Limit {
    Limit { role, max_chars, over: OverLimit::Keep }
}

/// The folders that no dialect enters whose document does not say which folders it enters: they hold no skills, only many
/// files.
// Rule 3.2
pub(crate) const NEVER_ENTERED: &[Cow<'static, str>] =
    const { &[text(".git"), text(".hg"), text(".svn"), text("node_modules")] };

/// A rule for folders of skills with this depth.
pub(super) const fn scan(
    depth: Option<usize>,
    root: Permitted,
    reserved: Cow<'static, [Cow<'static, str>]>,
) -> ScanRule {
    ScanRule {
        depth,
        root,
        reserved,
        skipped: rows(NEVER_ENTERED),
        hidden: Permitted::Yes,
        linked_files: Permitted::Yes,
    }
}

/// A row of a table of settings files.
pub(super) const fn settings_file(base: Base, path: &'static str) -> SettingsFile {
    SettingsFile { base, path: text(path) }
}

/// A row of a table of settings.
pub(super) const fn setting(key: &'static str, role: SettingRole) -> Setting {
    Setting { key: text(key), role }
}

/// A row of a table of evidence.
pub(super) const fn basis(part: &'static str, evidence: Evidence, note: &'static str) -> Basis {
    Basis { part: text(part), evidence, note: text(note) }
}
