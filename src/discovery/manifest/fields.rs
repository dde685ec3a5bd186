//! In: a frontmatter map and a dialect's field table. Out: a [`Frontmatter`]. One place knows how text, flags, lists
//! and maps may be spelled (decisions 4); each slot is filled by exactly one arm.

use super::front::kind;
use super::items::{knowledge, permissions, toolsets};
use super::lists::{Items, list};
use super::missing::{hidden, missing};
use super::scripts::scripts;
use super::unknown::unknown;
use super::{DiagnosticSink, ReadMode, limits};
use crate::diagnostic::{Code, Fix, Severity};
use crate::dialect::{Dialect, FieldRole};
use crate::model::skill::{Context, Frontmatter, Needs, Requirement, RunSettings, ScriptList, Triggers};
use crate::text::escape::{quote_yaml, unhidden};
use crate::text::json::Json;
use crate::text::lower::lower;
use crate::text::pattern::MAX_OF_SKILL;
use crate::text::words::excerpt;
use crate::text::yaml::{Node, Span, Style, Value, is_plain_null};
use std::borrow::Cow;

/// The one field that counts also where a table does not know it.
const SCRIPTS: &str = "scripts";

type Pairs = [(Node, Node)];

/// Fills a [`Frontmatter`] with what it takes out of the map, and sets `lost` when a required field is missing.
pub(super) fn read(
    dialect: &Dialect,
    map: &mut Pairs,
    mode: ReadMode,
    sink: &mut DiagnosticSink<'_>,
    lost: &mut Option<Code>,
) -> Frontmatter {
    let mut frontmatter = Frontmatter::default();
    let mut has_unknown = false;
    for (key, value) in &mut *map {
        let Value::Text(name) = &key.value else {
            let message = format!("expected a name before the colon, got {}", kind(&key.value));
            sink.over(key.span, Severity::Warning, Code::WrongType, message);
            continue;
        };
        hidden(name, key, value, sink);
        match dialect.role_of(name).filter(|_| !name.bytes().any(|byte| byte == b'.')) {
            Some(slot) => fill(&mut frontmatter, name, slot, (key, value), sink),
            None if dialect.has_nested_fields(name) => nested(&mut frontmatter, dialect, name, value, mode, sink),
            None => {
                has_unknown = true;
                kept(&mut frontmatter, name.clone(), value);
            }
        }
    }
    if has_unknown {
        unknown(dialect, None, map, mode, sink);
    }
    missing(dialect, map, &frontmatter, mode, sink, lost);
    limits::frontmatter(dialect, map, &frontmatter, mode, sink);
    frontmatter
}

/// A map whose fields the table names by `name.field`.
fn nested(
    frontmatter: &mut Frontmatter,
    dialect: &Dialect,
    name: &str,
    value: &mut Node,
    mode: ReadMode,
    sink: &mut DiagnosticSink<'_>,
) {
    if let Value::Map(inner) = &mut value.value {
        for (inner_key, inner_value) in &mut *inner {
            let Value::Text(inner_name) = &inner_key.value else { continue };
            let path = format!("{name}.{inner_name}");
            match dialect.role_of(&path) {
                Some(slot) => fill(frontmatter, &path, slot, (inner_key, inner_value), sink),
                None => kept(frontmatter, path, inner_value),
            }
        }
        unknown(dialect, Some(name), inner, mode, sink);
    } else if !is_null(value) {
        no_map(name, value, sink);
        kept(frontmatter, name.to_owned(), value);
    }
}

/// A value that is of another type than its field.
fn mistyped(node: &Node, message: String, help: &str, sink: &mut DiagnosticSink<'_>) {
    sink.over(node.span, Severity::Warning, Code::WrongType, message).advise(help);
}

fn no_map(name: &str, node: &Node, sink: &mut DiagnosticSink<'_>) {
    let (message, help) = if is_repaired_text(node, sink) {
        let message = format!(
            "the lines below `{name}` are not valid YAML, so its fields are not read; it is kept \
             as text"
        );
        (message, "replace the lines with the corrected ones")
    } else {
        let message = format!("`{name}` is {}, expected a mapping", kind(&node.value));
        (message, "write its `key: value` lines below it, indented")
    };
    mistyped(node, message, help, sink);
}

/// Whether a value is the source of a map that was repaired (decisions 6).
fn is_repaired_text(node: &Node, sink: &DiagnosticSink<'_>) -> bool {
    matches!(node.value, Value::Text(_)) && sink.is_repaired(node)
}

/// decisions 5: kept.
fn kept(frontmatter: &mut Frontmatter, name: String, value: &mut Node) {
    // Whoever limits what may be run means it, whatever table is used.
    if name == SCRIPTS {
        run(frontmatter).scripts = scripts(value);
    }
    frontmatter.other.push((name, plain(value)));
}

/// Moves a value out of the map, without its spans and styles. The map keeps an empty text in place of a text.
fn plain(node: &mut Node) -> Json {
    match &mut node.value {
        Value::Text(text) if !is_plain_null(node.style, text) => Json::Text(std::mem::take(text)),
        _ => node.to_json(),
    }
}

fn fill(
    frontmatter: &mut Frontmatter,
    name: &str,
    slot: &FieldRole,
    (key, node): (&Node, &mut Node),
    sink: &mut DiagnosticSink<'_>,
) {
    match slot {
        FieldRole::Name => set_text(&mut frontmatter.name, name, node, sink),
        FieldRole::Description => set_shown(&mut frontmatter.description, name, node, sink),
        FieldRole::Version => set_text(&mut frontmatter.version, name, node, sink),
        FieldRole::License => set_text(&mut frontmatter.license, name, node, sink),
        FieldRole::Compatibility => set_text(&mut needs(frontmatter).compatibility, name, node, sink),
        FieldRole::ArgumentHint => set_shown(&mut run(frontmatter).argument_hint, name, node, sink),
        FieldRole::Metadata => {
            if let Value::Map(map) = &mut node.value {
                frontmatter.metadata = named(map);
            } else if !is_null(node) {
                // It has a finding already, and its keys are nobody's fields.
                if !is_repaired_text(node, sink) {
                    no_map(name, node, sink);
                }
                frontmatter.other.push((name.to_owned(), plain(node)));
            }
        }
        FieldRole::AllowedTools => frontmatter.allowed_tools = some(list(name, node, Items::Rules, sink)),
        FieldRole::Pinned => frontmatter.pinned = flag(name, node, None, sink).unwrap_or(false),
        FieldRole::NotForModel => frontmatter.not_for_model = flag(name, node, Some(true), sink).unwrap_or(false),
        FieldRole::ForUser => frontmatter.not_for_user = !flag(name, node, Some(false), sink).unwrap_or(true),
        FieldRole::NeedsBins => require(frontmatter, list(name, node, Items::Commas, sink), Requirement::Bin),
        FieldRole::NeedsEnv => require(frontmatter, list(name, node, Items::Commas, sink), Requirement::Env),
        FieldRole::Namespace => set_text(&mut frontmatter.namespace, name, node, sink),
        FieldRole::WhenToUse => set_shown(&mut triggers(frontmatter).when, name, node, sink),
        FieldRole::Context => run(frontmatter).context = context(name, node, sink),
        FieldRole::Agent => set_text(&mut run(frontmatter).agent, name, node, sink),
        FieldRole::Model => set_text(&mut run(frontmatter).model, name, node, sink),
        FieldRole::Effort => set_text(&mut run(frontmatter).effort, name, node, sink),
        FieldRole::Shell => set_text(&mut run(frontmatter).shell, name, node, sink),
        FieldRole::Background => run(frontmatter).background = flag(name, node, None, sink),
        FieldRole::Arguments => run(frontmatter).arguments = list(name, node, Items::Rules, sink),
        FieldRole::Paths => run(frontmatter).paths = list(name, node, Items::Commas, sink),
        FieldRole::Sandbox => run(frontmatter).sandbox = flag(name, node, Some(true), sink).unwrap_or(false),
        FieldRole::Permissions => run(frontmatter).permissions = permissions(name, node, sink),
        FieldRole::DisallowedTools => run(frontmatter).disallowed_tools = some(list(name, node, Items::Rules, sink)),
        FieldRole::Toolsets => run(frontmatter).toolsets = toolsets(name, node, sink),
        FieldRole::Scripts => {
            run(frontmatter).scripts = scripts(node);
            if run(frontmatter).scripts == ScriptList::Unclear {
                let message = format!("`{name}` is not a list of names, so no script may run");
                mistyped(node, message, "write one `- name` per line", sink);
            }
        }
        FieldRole::Keywords => triggers(frontmatter).keywords = trigger_list(name, node, sink),
        FieldRole::Verbs => triggers(frontmatter).verbs = trigger_list(name, node, sink),
        FieldRole::Patterns => triggers(frontmatter).patterns = patterns(name, node, sink),
        FieldRole::Brief => set_shown(&mut triggers(frontmatter).brief, name, node, sink),
        FieldRole::DefaultEnabled => triggers(frontmatter).default_enabled = flag(name, node, Some(false), sink),
        FieldRole::Kept => frontmatter.other.push((name.to_owned(), plain(node))),
        FieldRole::Knowledge => needs(frontmatter).knowledge = knowledge(name, node, sink),
        FieldRole::Removed(instead) => {
            let message = format!("the field `{name}` was removed from the format and has no effect");
            sink.over(key.span, Severity::Warning, Code::RemovedField, message).advise(instead);
        }
    }
}

fn needs(frontmatter: &mut Frontmatter) -> &mut Needs {
    frontmatter.needs.get_or_insert_default()
}

fn run(frontmatter: &mut Frontmatter) -> &mut RunSettings {
    frontmatter.run.get_or_insert_default()
}

fn triggers(frontmatter: &mut Frontmatter) -> &mut Triggers {
    frontmatter.triggers.get_or_insert_default()
}

/// Tools that are named; where none is, nothing is said of them.
fn some(names: Vec<String>) -> Option<Vec<String>> {
    if names.is_empty() { None } else { Some(names) }
}

fn require(frontmatter: &mut Frontmatter, names: Vec<String>, requirement: fn(String) -> Requirement) {
    let needs = needs(frontmatter);
    names.into_iter().for_each(|name| needs.requires.push(requirement(name)));
}

fn context(name: &str, node: &mut Node, sink: &mut DiagnosticSink<'_>) -> Option<Context> {
    let word = text(name, node, sink)?;
    match lower(&word).as_str() {
        "inline" => Some(Context::Inline),
        "fork" => Some(Context::Fork),
        _ => {
            let message = format!("`{name}` is `{}`, expected inline or fork", excerpt(&word, 40));
            mistyped(node, message, "write `inline` or `fork`; inline is used", sink);
            None
        }
    }
}

/// decisions 37: an empty trigger is a finding, and dropped.
fn trigger_list(name: &str, node: &mut Node, sink: &mut DiagnosticSink<'_>) -> Vec<String> {
    without_empty("trigger", Code::TriggerEmpty, name, node, sink);
    list(name, node, Items::Commas, sink)
}

/// An item of a list that is empty is a finding.
pub(super) fn without_empty(what: &str, code: Code, name: &str, node: &Node, sink: &mut DiagnosticSink<'_>) {
    let Value::List(items) = &node.value else { return };
    for item in items.iter().filter(|item| is_null(item)) {
        let message = format!("a {what} of `{name}` is empty");
        sink.over(item.span, Severity::Warning, code, message).advise("remove it");
    }
}

/// One text is one pattern, commas and all. They stay in the map, to be checked.
fn patterns(name: &str, node: &Node, sink: &mut DiagnosticSink<'_>) -> Vec<String> {
    let mut node = node.clone();
    let mut patterns = match &node.value {
        Value::Text(_) => text(name, &mut node, sink).into_iter().collect(),
        Value::List(_) | Value::Map(_) | Value::Absent => trigger_list(name, &mut node, sink),
    };
    patterns.truncate(MAX_OF_SKILL);
    patterns
}

/// The pairs whose keys are texts, in a list of exactly their number: it is kept as long as the skill.
fn named(map: &mut Pairs) -> Vec<(String, Json)> {
    let mut named = Vec::with_capacity(map.len());
    for (key, value) in map {
        if let Value::Text(name) = &key.value {
            named.push((name.clone(), plain(value)));
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
pub(super) fn text(name: &str, node: &mut Node, sink: &mut DiagnosticSink<'_>) -> Option<String> {
    if is_null(node) {
        return None;
    }
    match &mut node.value {
        Value::Text(text) => Some(trimmed(std::mem::take(text))),
        Value::Absent => None,
        Value::List(_) | Value::Map(_) => {
            let source = sink.slice(node.span.start, node.span.end).trim().to_owned();
            let message = format!(
                "`{name}` is {}, expected text; used as written: `{}`",
                kind(&node.value),
                excerpt(&source, 60)
            );
            let fix = if source.contains(['\n', '\r']) { None } else { quoted(node, &source, sink) };
            let finding = sink.over(node.span, Severity::Warning, Code::WrongType, message);
            finding.advise("put the value in double quotes");
            finding.fix = fix;
            Some(source)
        }
    }
}

/// A longer line is not given again in quotes: it may hold many values.
const LINE_BYTES: usize = 400;

/// The line with a value of one line in quotes.
fn quoted(node: &Node, source: &str, sink: &DiagnosticSink<'_>) -> Option<Fix> {
    let number = sink.source.position(node.span.start).line;
    let line = sink.source.line(number).filter(|line| line.len() <= LINE_BYTES)?;
    let (before, after) = line.split_once(source).filter(|(_, after)| !after.contains(source))?;
    sink.fix(node.span.start, node.span.start, format!("{before}{}{after}", quote_yaml(source)))
}

/// The text without blanks round it, in no more room than it needs: it is kept as long as the skill.
fn trimmed(text: String) -> String {
    let inside = text.trim();
    if inside.len() == text.capacity() { text } else { inside.to_owned() }
}

fn set_text(field: &mut Option<String>, name: &str, node: &mut Node, sink: &mut DiagnosticSink<'_>) {
    *field = text(name, node, sink);
}

/// Text that will stand in a listing (decisions 24).
fn set_shown(field: &mut Option<String>, name: &str, node: &mut Node, sink: &mut DiagnosticSink<'_>) {
    *field = text(name, node, sink).and_then(|text| clean(name, text, Some(node.span), sink));
}

/// The same for text from the body, which has no place of its own.
pub(super) fn clean(name: &str, text: String, span: Option<Span>, sink: &mut DiagnosticSink<'_>) -> Option<String> {
    let (clean, dropped) = unhidden(&text);
    if dropped {
        let message = format!("`{name}` contains invisible or control characters, which are removed");
        let finding = match span {
            Some(span) => sink.over(span, Severity::Warning, Code::HiddenCharacters, message),
            None => sink.file(Severity::Warning, Code::HiddenCharacters, &message),
        };
        finding.advise("delete them: a reader does not see them");
    }
    let clean = match clean {
        Cow::Borrowed(_) => trimmed(text),
        Cow::Owned(clean) => trimmed(clean),
    };
    (!clean.is_empty()).then_some(clean)
}

/// A truth value, or what one that cannot be read counts as: a flag that restricts is set then (decisions 4).
fn flag(name: &str, node: &Node, unreadable: Option<bool>, sink: &mut DiagnosticSink<'_>) -> Option<bool> {
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
            let got = sink.slice(node.span.start, node.span.end).trim().to_owned();
            let message = format!("`{name}` is `{}`, expected true or false", excerpt(&got, 40));
            let until = unreadable.map_or("the default is used".to_owned(), |set| format!("`{set}` is used"));
            mistyped(node, message, &format!("write `true` or `false`; until then {until}"), sink);
            unreadable
        }
    }
}
