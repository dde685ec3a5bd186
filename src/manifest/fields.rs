//! In: a frontmatter map and a dialect's field table. Out: a [`Meta`]. One place knows how text, flags, lists
//! and maps may be spelled (decisions 4); each slot is filled by exactly one arm.

use super::front::kind;
use super::items::{knowledge, permissions, toolsets};
use super::lists::{Items, list};
use super::missing::{hidden, missing};
use super::scripts::scripts;
use super::unknown::unknown;
use super::{Judge, Notes, limits};
use crate::diagnostic::{Code, Fix, Severity};
use crate::dialect::{Dialect, Slot};
use crate::gather::Gather;
use crate::skill::{Context, Cues, Meta, Needs, Requirement, Run, ScriptList};
use crate::text::escape::{quote_yaml, unhidden};
use crate::text::lower::lower;
use crate::text::pattern::MAX_OF_SKILL;
use crate::text::words::excerpt;
use crate::text::yaml::{Node, Span, Style, Value};
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
    let mut has_unknown = false;
    for (key, value) in &mut *map {
        let Value::Text(name) = &key.value else {
            let message = format!("expected a name before the colon, got {}", kind(&key.value));
            notes.over(key.span, Severity::Warning, Code::WrongType, message);
            continue;
        };
        hidden(name, key, value, notes);
        match dialect.slot(name).filter(|_| !name.bytes().any(|byte| byte == b'.')) {
            Some(slot) => fill(&mut meta, name, slot, (key, value), notes),
            None if dialect.has_below(name) => nested(&mut meta, dialect, name, value, judge, notes),
            None => {
                has_unknown = true;
                kept(&mut meta, name.clone(), value);
            }
        }
    }
    if has_unknown {
        unknown(dialect, None, map, judge, notes);
    }
    missing(dialect, map, &meta, judge, notes, lost);
    limits::meta(dialect, map, &meta, judge, notes);
    meta
}

/// A map whose fields the table names by `name.field`.
fn nested(meta: &mut Meta, dialect: &Dialect, name: &str, value: &mut Node, judge: Judge, notes: &mut Notes<'_>) {
    if let Value::Map(inner) = &mut value.value {
        for (inner_key, inner_value) in &mut *inner {
            let Value::Text(inner_name) = &inner_key.value else { continue };
            let path = format!("{name}.{inner_name}");
            match dialect.slot(&path) {
                Some(slot) => fill(meta, &path, slot, (inner_key, inner_value), notes),
                None => kept(meta, path, inner_value),
            }
        }
        unknown(dialect, Some(name), inner, judge, notes);
    } else if !is_null(value) {
        no_map(name, value, notes);
        kept(meta, name.to_owned(), value);
    }
}

/// A value that is of another type than its field.
fn mistyped(node: &Node, message: String, help: &str, notes: &mut Notes<'_>) {
    notes.over(node.span, Severity::Warning, Code::WrongType, message).advise(help);
}

fn no_map(name: &str, node: &Node, notes: &mut Notes<'_>) {
    let (message, help) = if is_repaired_text(node, notes) {
        let message = format!("`{name}` is kept as text, as its lines are no YAML, so its fields are not read");
        (message, "put the mended lines in their place")
    } else {
        let message = format!("`{name}` is {}, expected a map", kind(&node.value));
        (message, "write its `key: value` lines below it, indented")
    };
    mistyped(node, message, help, notes);
}

/// Whether a value is the source of a map that was repaired (decisions 6).
fn is_repaired_text(node: &Node, notes: &Notes<'_>) -> bool {
    matches!(node.value, Value::Text(_)) && notes.is_repaired(node)
}

/// decisions 5: kept.
fn kept(meta: &mut Meta, name: String, value: &mut Node) {
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
        Slot::Name => set_text(&mut meta.name, name, node, notes),
        Slot::Description => set_shown(&mut meta.description, name, node, notes),
        Slot::Version => set_text(&mut meta.version, name, node, notes),
        Slot::License => set_text(&mut meta.license, name, node, notes),
        Slot::Compatibility => set_text(&mut needs(meta).compatibility, name, node, notes),
        Slot::ArgumentHint => set_shown(&mut run(meta).argument_hint, name, node, notes),
        Slot::Metadata => {
            if let Value::Map(map) = &mut node.value {
                meta.metadata = named(map);
            } else if !is_null(node) {
                // It has a finding already, and its keys are nobody's fields.
                if !is_repaired_text(node, notes) {
                    no_map(name, node, notes);
                }
                meta.other.push((name.to_owned(), take(node)));
            }
        }
        Slot::AllowedTools => meta.allowed_tools = some(list(name, node, Items::Rules, notes)),
        Slot::Pinned => meta.pinned = flag(name, node, None, notes).unwrap_or(false),
        Slot::NotForModel => meta.not_for_model = flag(name, node, Some(true), notes).unwrap_or(false),
        Slot::ForUser => meta.not_for_user = !flag(name, node, Some(false), notes).unwrap_or(true),
        Slot::NeedsBins => require(meta, list(name, node, Items::Commas, notes), Requirement::Bin),
        Slot::NeedsEnv => require(meta, list(name, node, Items::Commas, notes), Requirement::Env),
        Slot::Namespace => set_text(&mut meta.namespace, name, node, notes),
        Slot::WhenToUse => set_shown(&mut cues(meta).when, name, node, notes),
        Slot::Context => run(meta).context = context(name, node, notes),
        Slot::Agent => set_text(&mut run(meta).agent, name, node, notes),
        Slot::Model => set_text(&mut run(meta).model, name, node, notes),
        Slot::Effort => set_text(&mut run(meta).effort, name, node, notes),
        Slot::Shell => set_text(&mut run(meta).shell, name, node, notes),
        Slot::Background => run(meta).background = flag(name, node, None, notes),
        Slot::Arguments => run(meta).arguments = list(name, node, Items::Rules, notes),
        Slot::Paths => run(meta).paths = list(name, node, Items::Commas, notes),
        Slot::Sandbox => run(meta).sandbox = flag(name, node, Some(true), notes).unwrap_or(false),
        Slot::Permissions => run(meta).permissions = permissions(name, node, notes),
        Slot::DisallowedTools => run(meta).disallowed_tools = some(list(name, node, Items::Rules, notes)),
        Slot::Toolsets => run(meta).toolsets = toolsets(name, node, notes),
        Slot::Scripts => {
            run(meta).scripts = scripts(node);
            if run(meta).scripts == ScriptList::Unclear {
                let message = format!("`{name}` is no list of names, so no script is run");
                mistyped(node, message, "write one `- name` a line", notes);
            }
        }
        Slot::Keywords => cues(meta).keywords = triggers(name, node, notes),
        Slot::Verbs => cues(meta).verbs = triggers(name, node, notes),
        Slot::Patterns => cues(meta).patterns = patterns(name, node, notes),
        Slot::Brief => set_shown(&mut cues(meta).brief, name, node, notes),
        Slot::DefaultEnabled => cues(meta).default_enabled = flag(name, node, Some(false), notes),
        Slot::Kept => meta.other.push((name.to_owned(), take(node))),
        Slot::Knowledge => needs(meta).knowledge = knowledge(name, node, notes),
        Slot::Removed(instead) => {
            let message = format!("the field `{name}` has been removed and does nothing");
            notes.over(key.span, Severity::Warning, Code::RemovedField, message).advise(instead);
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

/// Tools that are named; where none is, nothing is said of them.
fn some(names: Vec<String>) -> Option<Vec<String>> {
    if names.is_empty() { None } else { Some(names) }
}

fn require(meta: &mut Meta, names: Vec<String>, requirement: fn(String) -> Requirement) {
    let needs = needs(meta);
    names.into_iter().for_each(|name| needs.requires.push(requirement(name)));
}

fn context(name: &str, node: &mut Node, notes: &mut Notes<'_>) -> Option<Context> {
    let word = text(name, node, notes)?;
    match lower(&word).as_str() {
        "inline" => Some(Context::Inline),
        "fork" => Some(Context::Fork),
        _ => {
            let message = format!("`{name}` is `{}`, expected inline or fork", excerpt(&word, 40));
            mistyped(node, message, "write `inline` or `fork`; until then it is inline", notes);
            None
        }
    }
}

/// decisions 37: an empty trigger is a finding, and dropped.
fn triggers(name: &str, node: &mut Node, notes: &mut Notes<'_>) -> Vec<String> {
    without_empty("trigger", Code::TriggerEmpty, name, node, notes);
    list(name, node, Items::Commas, notes)
}

/// An item of a list that is empty is a finding.
pub(super) fn without_empty(what: &str, code: Code, name: &str, node: &Node, notes: &mut Notes<'_>) {
    let Value::List(items) = &node.value else { return };
    for item in items.iter().filter(|item| is_null(item)) {
        let message = format!("a {what} of `{name}` is empty");
        notes.over(item.span, Severity::Warning, code, message).advise("remove it");
    }
}

/// One text is one pattern, commas and all. They stay in the map, to be judged.
fn patterns(name: &str, node: &Node, notes: &mut Notes<'_>) -> Vec<String> {
    let mut node = node.clone();
    let mut patterns = match &node.value {
        Value::Text(_) => text(name, &mut node, notes).into_iter().gather(),
        Value::List(_) | Value::Map(_) | Value::Absent => triggers(name, &mut node, notes),
    };
    patterns.truncate(MAX_OF_SKILL);
    patterns
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
        Value::Text(text) => {
            text.trim().is_empty()
                || (node.style == Style::Plain && matches!(text.as_str(), "~" | "null" | "Null" | "NULL"))
        }
        Value::Absent => true,
        Value::List(_) | Value::Map(_) => false,
    }
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
                excerpt(&source, 60)
            );
            let fix = if source.contains(['\n', '\r']) { None } else { quoted(node, &source, notes) };
            let finding = notes.over(node.span, Severity::Warning, Code::WrongType, message);
            finding.advise("put the value in double quotes");
            finding.fix = fix;
            Some(source)
        }
    }
}

/// A longer line is not given again in quotes: it may hold many values.
const LINE_BYTES: usize = 400;

/// The line with a value of one line in quotes.
fn quoted(node: &Node, source: &str, notes: &Notes<'_>) -> Option<Fix> {
    let number = notes.source.position(node.span.start).line;
    let line = notes.source.line(number).filter(|line| line.len() <= LINE_BYTES)?;
    let (before, after) = line.split_once(source).filter(|(_, after)| !after.contains(source))?;
    notes.fix(node.span.start, node.span.start, format!("{before}{}{after}", quote_yaml(source)))
}

/// The text without blanks round it, in no more room than it needs: it is kept as long as the skill.
fn trimmed(text: String) -> String {
    let inside = text.trim();
    if inside.len() == text.capacity() { text } else { inside.to_owned() }
}

fn set_text(field: &mut Option<String>, name: &str, node: &mut Node, notes: &mut Notes<'_>) {
    *field = text(name, node, notes);
}

/// Text that will stand in a listing (decisions 24).
fn set_shown(field: &mut Option<String>, name: &str, node: &mut Node, notes: &mut Notes<'_>) {
    *field = text(name, node, notes).and_then(|text| clean(name, text, Some(node.span), notes));
}

/// The same for text from the body, which has no place of its own.
pub(super) fn clean(name: &str, text: String, span: Option<Span>, notes: &mut Notes<'_>) -> Option<String> {
    let (clean, dropped) = unhidden(&text);
    if dropped {
        let message = format!("`{name}` holds invisible or control characters, which are dropped");
        let finding = match span {
            Some(span) => notes.over(span, Severity::Warning, Code::HiddenCharacters, message),
            None => notes.file(Severity::Warning, Code::HiddenCharacters, &message),
        };
        finding.advise("delete them: they are not what a reader sees");
    }
    let clean = match clean {
        Cow::Borrowed(_) => trimmed(text),
        Cow::Owned(clean) => trimmed(clean),
    };
    (!clean.is_empty()).then_some(clean)
}

/// A truth value, or what one that cannot be read counts as: a flag that restricts is set then (decisions 4).
fn flag(name: &str, node: &Node, unreadable: Option<bool>, notes: &mut Notes<'_>) -> Option<bool> {
    if is_null(node) {
        return None;
    }
    let word = match &node.value {
        Value::Text(text) => lower(text.trim()),
        Value::List(_) | Value::Map(_) | Value::Absent => String::new(),
    };
    match word.as_str() {
        "true" | "yes" | "on" | "1" => Some(true),
        "false" | "no" | "off" | "0" => Some(false),
        _ => {
            let got = notes.slice(node.span.start, node.span.end).trim().to_owned();
            let message = format!("`{name}` is `{}`, expected true or false", excerpt(&got, 40));
            let until = unreadable.map_or("the default stands".to_owned(), |set| format!("it counts as `{set}`"));
            mistyped(node, message, &format!("write `true` or `false`; until then {until}"), notes);
            unreadable
        }
    }
}
