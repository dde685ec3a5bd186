//! In: a frontmatter map and a dialect's field table. Out: a [`Meta`]. One place knows how text, flags, lists
//! and maps may be spelled (decisions 4); each slot is filled by exactly one arm.

use super::front::kind;
use super::scripts::scripts;
use super::{Judge, Notes, limits};
use crate::diagnostic::{Code, Severity};
use crate::dialect::{Dialect, Need, Slot};
use crate::gather::Gather;
use crate::skill::{Context, Cues, Meta, Needs, Permission, Requirement, Run, ScriptList};
use crate::text::escape::{unhidden, visible};
use crate::text::words::{cut, split_list, split_rules};
use crate::text::yaml::{Node, Style, Value};
use std::borrow::Cow;

/// The one field that counts also where a table does not know it.
const SCRIPTS: &str = "scripts";

type Pairs = [(Node, Node)];

/// Fills a [`Meta`] with what it takes out of the map, and sets `lost` when a required field is missing.
pub(super) fn read(
    dialect: &Dialect,
    map: &mut Pairs,
    judge: Judge,
    notes: &mut Notes<'_>,
    lost: &mut Option<Code>,
) -> Meta {
    let mut meta = Meta::default();
    for (key, value) in &mut *map {
        let Value::Text(name) = &key.value else {
            let message = format!("expected a name before the colon, got {}", kind(&key.value));
            notes.at(key.span.start, Severity::Warning, Code::WrongType, message);
            continue;
        };
        match dialect.slot(name).filter(|_| !name.bytes().any(|byte| byte == b'.')) {
            Some(slot) => fill(&mut meta, name, slot, (key, value), notes),
            None if dialect.has_below(name) => {
                nested(&mut meta, dialect, name, key, value, judge, notes);
            }
            None => unknown(&mut meta, name.clone(), key, value, judge, notes),
        }
    }
    missing(dialect, &meta, judge, notes, lost);
    limits::meta(dialect, map, &meta, judge, notes);
    meta
}

/// A map whose fields the table names by `name.field`.
fn nested(
    meta: &mut Meta,
    dialect: &Dialect,
    name: &str,
    key: &Node,
    value: &mut Node,
    judge: Judge,
    notes: &mut Notes<'_>,
) {
    if let Value::Map(inner) = &mut value.value {
        for (inner_key, inner_value) in inner {
            let Value::Text(inner_name) = &inner_key.value else { continue };
            let path = format!("{name}.{inner_name}");
            match dialect.slot(&path) {
                Some(slot) => fill(meta, &path, slot, (inner_key, inner_value), notes),
                None => unknown(meta, path, inner_key, inner_value, judge, notes),
            }
        }
    } else if !is_null(value) {
        no_map(name, value, notes);
        unknown(meta, name.to_owned(), key, value, Judge::Discovery, notes);
    }
}

fn no_map(name: &str, node: &Node, notes: &mut Notes<'_>) {
    let message = format!("`{name}` is {}, expected a map", kind(&node.value));
    notes.at(node.span.start, Severity::Warning, Code::WrongType, message);
}

/// decisions 5: kept, quietly, and told of under `--strict` alone.
fn unknown(meta: &mut Meta, name: String, key: &Node, value: &mut Node, judge: Judge, notes: &mut Notes<'_>) {
    if judge == Judge::Strict {
        let message = format!("the field `{}` is not known", visible(&name));
        notes.at(key.span.start, Severity::Warning, Code::UnknownField, message).help =
            Some("put fields of your own under `metadata`".into());
    }
    // Whoever limits what may be run means it, whatever table is used.
    if name == SCRIPTS {
        run(meta).scripts = scripts(value);
    }
    meta.other.push((name, take(value)));
}

/// The node, which leaves its place in the map empty.
fn take(node: &mut Node) -> Node {
    Node { value: std::mem::replace(&mut node.value, Value::Absent), tag: node.tag.take(), ..*node }
}

fn fill(meta: &mut Meta, name: &str, slot: &Slot, (key, node): (&Node, &mut Node), notes: &mut Notes<'_>) {
    match slot {
        Slot::Name => meta.name = text(name, node, notes),
        Slot::Description => meta.description = text(name, node, notes).and_then(|text| shown(name, text, node, notes)),
        Slot::Version => meta.version = text(name, node, notes),
        Slot::License => meta.license = text(name, node, notes),
        Slot::Compatibility => needs(meta).compatibility = text(name, node, notes),
        Slot::ArgumentHint => run(meta).argument_hint = text(name, node, notes),
        Slot::Metadata => {
            if let Value::Map(map) = &mut node.value {
                meta.metadata = named(map);
            } else if !is_null(node) {
                // A map that was repaired into its source text has a finding already (decisions 6).
                if !(matches!(node.value, Value::Text(_)) && notes.is_repaired(node)) {
                    no_map(name, node, notes);
                }
                meta.other.push((name.to_owned(), take(node)));
            }
        }
        Slot::AllowedTools => meta.allowed_tools = list(name, node, split_rules, notes),
        Slot::Pinned => meta.pinned = flag(name, node, notes).unwrap_or(false),
        Slot::NotForModel => meta.not_for_model = flag(name, node, notes).unwrap_or(false),
        Slot::ForUser => meta.not_for_user = !flag(name, node, notes).unwrap_or(true),
        Slot::NeedsBins => {
            let bins = list(name, node, split_list, notes).unwrap_or_default();
            bins.into_iter().map(Requirement::Bin).gather_into(&mut needs(meta).requires);
        }
        Slot::NeedsEnv => {
            let variables = list(name, node, split_list, notes).unwrap_or_default();
            variables.into_iter().map(Requirement::Env).gather_into(&mut needs(meta).requires);
        }
        Slot::Namespace => meta.namespace = text(name, node, notes),
        Slot::WhenToUse => cues(meta).when = text(name, node, notes).and_then(|text| shown(name, text, node, notes)),
        Slot::Context => run(meta).context = context(name, node, notes),
        Slot::Agent => run(meta).agent = text(name, node, notes),
        Slot::Model => run(meta).model = text(name, node, notes),
        Slot::Effort => run(meta).effort = text(name, node, notes),
        Slot::Shell => run(meta).shell = text(name, node, notes),
        Slot::Background => run(meta).background = flag(name, node, notes),
        Slot::Arguments => run(meta).arguments = list(name, node, split_rules, notes).unwrap_or_default(),
        Slot::Paths => run(meta).paths = list(name, node, split_list, notes).unwrap_or_default(),
        Slot::Sandbox => run(meta).sandbox = flag(name, node, notes).unwrap_or(false),
        Slot::Permissions => run(meta).permissions = permissions(name, node, notes),
        Slot::DisallowedTools => run(meta).disallowed_tools = list(name, node, split_rules, notes),
        Slot::Toolsets => run(meta).toolsets = toolsets(name, node, notes),
        Slot::Scripts => {
            run(meta).scripts = scripts(node);
            if run(meta).scripts == ScriptList::Unclear {
                let message = format!("`{name}` is no list of names, so no script is run");
                notes.at(node.span.start, Severity::Warning, Code::WrongType, message).help =
                    Some("write one `- name` a line".into());
            }
        }
        Slot::Keywords => cues(meta).keywords = triggers(name, node, notes),
        Slot::Verbs => cues(meta).verbs = triggers(name, node, notes),
        Slot::Patterns => cues(meta).patterns = patterns(name, node, notes),
        Slot::Brief => cues(meta).brief = text(name, node, notes).and_then(|text| shown(name, text, node, notes)),
        Slot::DefaultEnabled => cues(meta).default_enabled = flag(name, node, notes),
        Slot::Kept => meta.other.push((name.to_owned(), take(node))),
        Slot::Knowledge => needs(meta).knowledge = list(name, node, split_list, notes).unwrap_or_default(),
        Slot::Removed(instead) => {
            let message = format!("the field `{name}` has been removed and does nothing");
            notes.at(key.span.start, Severity::Warning, Code::RemovedField, message).help = Some(instead.clone());
        }
    }
}

fn needs(meta: &mut Meta) -> &mut Needs {
    meta.needs.get_or_insert_default()
}

fn run(meta: &mut Meta) -> &mut Run {
    meta.run.get_or_insert_default()
}

fn cues(meta: &mut Meta) -> &mut Cues {
    meta.cues.get_or_insert_default()
}

fn context(name: &str, node: &mut Node, notes: &mut Notes<'_>) -> Option<Context> {
    let word = text(name, node, notes)?;
    match word.to_lowercase().as_str() {
        "inline" => Some(Context::Inline),
        "fork" => Some(Context::Fork),
        _ => {
            let message = format!("`{name}` is `{}`, expected inline or fork", visible(&cut(&word, 40)));
            notes.at(node.span.start, Severity::Warning, Code::WrongType, message).help =
                Some("write `inline` or `fork`; until then it is inline".into());
            None
        }
    }
}

/// Tags, each once, in order (decisions 34).
fn permissions(name: &str, node: &mut Node, notes: &mut Notes<'_>) -> Vec<String> {
    let mut tags: Vec<String> = Vec::new();
    for tag in list(name, node, split_tags, notes).unwrap_or_default() {
        if Permission::parse(&tag).is_none() {
            let message = format!("the permission `{}` is not known", visible(&cut(&tag, 60)));
            notes.at(node.span.start, Severity::Warning, Code::UnknownPermission, message).help =
                Some("write @network, @events, @read:PATH or @write:PATH".into());
        }
        if !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    tags
}

/// A tag begins with `@`, as no plain YAML value may: a list of bare tags comes as its source text (decisions 6).
fn split_tags(text: &str) -> Vec<String> {
    let text = text.trim();
    let items = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let rows = items.split(['\n', ',']).map(|row| row.trim());
    let tags = rows.map(|row| row.strip_prefix("- ").unwrap_or(row).trim().trim_matches(['"', '\'']).trim());
    tags.filter(|tag| !tag.is_empty()).map(str::to_owned).gather()
}

fn toolsets(name: &str, node: &mut Node, notes: &mut Notes<'_>) -> Vec<String> {
    without_empty("toolset", Code::WrongType, name, node, notes);
    let toolsets = list(name, node, split_list, notes).unwrap_or_default();
    for odd in toolsets.iter().filter(|toolset| toolset_parts(toolset).is_none()) {
        let message = format!("the toolset `{}` is not of the form `path:Export`", visible(&cut(odd, 60)));
        notes.at(node.span.start, Severity::Warning, Code::WrongType, message).help =
            Some("write the file's path in the skill, a colon, and the name that it exports".into());
    }
    toolsets
}

/// The path and the export of a toolset: `toolsets/index:HelloToolset`.
pub(crate) fn toolset_parts(toolset: &str) -> Option<(&str, &str)> {
    let (path, export) = toolset.split_once(':')?;
    let (path, export) = (path.trim(), export.trim());
    (!path.is_empty() && !export.is_empty()).then_some((path, export))
}

/// decisions 37: an empty trigger is a finding, and dropped.
fn triggers(name: &str, node: &mut Node, notes: &mut Notes<'_>) -> Vec<String> {
    without_empty("trigger", Code::TriggerEmpty, name, node, notes);
    list(name, node, split_list, notes).unwrap_or_default()
}

/// An item of a list that is empty is a finding.
fn without_empty(what: &str, code: Code, name: &str, node: &Node, notes: &mut Notes<'_>) {
    let Value::List(items) = &node.value else { return };
    for item in items.iter().filter(|item| is_null(item)) {
        let message = format!("a {what} of `{name}` is empty");
        notes.at(item.span.start, Severity::Warning, code, message).help = Some("remove it".into());
    }
}

/// One text is one pattern, commas and all. They stay in the map, to be judged.
fn patterns(name: &str, node: &Node, notes: &mut Notes<'_>) -> Vec<String> {
    let mut node = node.clone();
    match &node.value {
        Value::Text(_) => text(name, &mut node, notes).into_iter().gather(),
        Value::List(_) | Value::Map(_) | Value::Absent => triggers(name, &mut node, notes),
    }
}

/// They are kept as long as the skill, so no room is left over.
fn named(map: &mut Pairs) -> Vec<(String, Node)> {
    let mut named = Vec::with_capacity(map.len());
    for (key, value) in map {
        if let Value::Text(name) = &mut key.value {
            named.push((std::mem::take(name), take(value)));
        }
    }
    named
}

/// decisions 4: `null` and empty are absent.
pub(super) fn is_null(node: &Node) -> bool {
    match &node.value {
        Value::Text(text) => text.trim().is_empty() || (node.style == Style::Plain && is_null_word(text)),
        Value::Absent => true,
        Value::List(_) | Value::Map(_) => false,
    }
}

fn is_null_word(text: &str) -> bool {
    matches!(text, "~" | "null" | "Null" | "NULL")
}

/// decisions 4: a list or map where text is wanted stands as its source text, with a finding.
pub(super) fn text(name: &str, node: &mut Node, notes: &mut Notes<'_>) -> Option<String> {
    if is_null(node) {
        return None;
    }
    match &mut node.value {
        Value::Text(text) => Some(trimmed(std::mem::take(text))),
        Value::Absent => None,
        Value::List(_) | Value::Map(_) => {
            let source = notes.slice(node.span.start, node.span.end).trim().to_owned();
            let message = format!(
                "`{name}` is {}, expected text; it stands as written: `{}`",
                kind(&node.value),
                visible(&cut(&source, 60))
            );
            notes.at(node.span.start, Severity::Warning, Code::WrongType, message).help =
                Some("put the value in double quotes".into());
            Some(source)
        }
    }
}

/// The text without blanks round it, in no more room than it needs: it is kept as long as the skill.
fn trimmed(text: String) -> String {
    let inside = text.trim();
    if inside.len() == text.capacity() { text } else { inside.to_owned() }
}

/// Text that will stand in a listing (decisions 24).
fn shown(name: &str, text: String, node: &Node, notes: &mut Notes<'_>) -> Option<String> {
    clean(name, text, Some(node.span.start), notes)
}

/// The same for text from the body, which has no place of its own.
pub(super) fn clean(name: &str, text: String, at: Option<usize>, notes: &mut Notes<'_>) -> Option<String> {
    let (clean, dropped) = unhidden(&text);
    if dropped {
        let message = format!("`{name}` holds invisible or control characters, which are dropped");
        let finding = match at {
            Some(at) => notes.at(at, Severity::Warning, Code::HiddenCharacters, message),
            None => notes.file(Severity::Warning, Code::HiddenCharacters, &message),
        };
        finding.help = Some("delete them: they are not what a reader sees".into());
    }
    let clean = match clean {
        Cow::Borrowed(_) => trimmed(text),
        Cow::Owned(clean) => trimmed(clean),
    };
    (!clean.is_empty()).then_some(clean)
}

fn flag(name: &str, node: &Node, notes: &mut Notes<'_>) -> Option<bool> {
    if is_null(node) {
        return None;
    }
    let word = match &node.value {
        Value::Text(text) => text.trim().to_lowercase(),
        Value::List(_) | Value::Map(_) | Value::Absent => String::new(),
    };
    match word.as_str() {
        "true" | "yes" | "on" => Some(true),
        "false" | "no" | "off" => Some(false),
        _ => {
            let got = notes.slice(node.span.start, node.span.end).trim().to_owned();
            let message = format!("`{name}` is `{}`, expected true or false", visible(&cut(&got, 40)));
            notes.at(node.span.start, Severity::Warning, Code::WrongType, message).help =
                Some("write `true` or `false`; until then the default stands".into());
            None
        }
    }
}

/// decisions 4: a YAML list, or one text with several values in it; an empty one is absent.
fn list(name: &str, node: &mut Node, split: fn(&str) -> Vec<String>, notes: &mut Notes<'_>) -> Option<Vec<String>> {
    if is_null(node) {
        return None;
    }
    let values: Vec<String> = match &mut node.value {
        Value::Text(text) => split(text),
        Value::List(items) => items.iter_mut().filter_map(|item| text(name, item, notes)).gather(),
        Value::Absent => Vec::new(),
        Value::Map(_) => {
            let message = format!("`{name}` is a map, expected a list");
            notes.at(node.span.start, Severity::Warning, Code::WrongType, message).help =
                Some("write one `- value` a line".into());
            Vec::new()
        }
    };
    (!values.is_empty()).then_some(values)
}

/// decisions 8: only a missing required field skips a skill.
fn missing(dialect: &Dialect, meta: &Meta, judge: Judge, notes: &mut Notes<'_>, lost: &mut Option<Code>) {
    for field in &dialect.fields {
        let (is_there, code) = match field.slot {
            Slot::Name => (meta.name.is_some(), Code::NameMissing),
            Slot::Description => (meta.description.is_some(), Code::DescriptionMissing),
            _ => continue,
        };
        if is_there {
            continue;
        }
        let name = &field.path;
        match field.need {
            Need::Optional => {}
            Need::Expected => {
                let message = format!("expected the field `{name}`; the folder's name is used");
                notes.file(limits::weight(dialect, judge, code), code, &message).help =
                    Some(format!("add a line `{name}: …`"));
            }
            Need::Required => {
                let message = format!("expected the field `{name}`, with a value");
                notes.file(Severity::Error, code, &message).help = Some(format!("add a line `{name}: …`"));
                *lost = Some(code);
            }
        }
    }
}
