//! Reads the map of a frontmatter into a [`Frontmatter`] by a dialect's field table. One place decides how text, flags,
//! lists and maps may be spelled (rules 6.2, 6.3, 6.4 and 6.5), and one `match` sets the field of each [`FieldRole`].
//! The list of scripts that may be run restricts even if its value is no list: it allows no script then.

use super::faithful::adapt_texts;
use super::front::type_name;
use super::keys::{report_commented_out, report_inner, report_missing, report_unknown};
use super::{DiagnosticSink, FrontmatterOutcome, ReadMode, front, limits, utf8};
#[cfg(feature = "author")]
use crate::diagnostic::Position;
use crate::diagnostic::{Code, Diagnostic, Fix, Mark, Severity};
use crate::dialect::{Dialect, FieldRole, RESTRICTING_FIELDS};
use crate::discovery::extras::Extras;
use crate::model::skill::{Frontmatter, Needs, Permission, Requirement, RunSettings, ScriptList, Triggers};
use crate::path::FsPath;
use crate::text::escape::{quote_yaml, unhidden};
use crate::text::json::Json;
use crate::text::lines::Source;
use crate::text::lower::lower;
use crate::text::number::is_number;
use crate::text::pattern::MAX_OF_SKILL;
use crate::text::words::{excerpt, nearest, split_commas, split_list, split_patterns, split_rules};
use crate::text::yaml::{Node, Span, Style, Value, is_plain_null, is_string};
use std::borrow::Cow;

type Pairs = [(Node, Node)];

/// Reads all fields, and takes their values out of the map. Sets `rejected` if a required field is missing.
pub(super) fn read_fields(
    dialect: &Dialect,
    map: &mut Pairs,
    mode: ReadMode,
    sink: &mut DiagnosticSink<'_>,
    rejected: &mut Option<Code>,
) -> Frontmatter {
    let mut frontmatter = Frontmatter::default();
    if matches!(mode, ReadMode::Check | ReadMode::Strict) {
        limits::check_written(dialect, map, mode, sink);
        report_inner(dialect, map, sink);
    }
    let mut has_unknown = false;
    for (key, value) in &mut *map {
        let Value::Text(name) = &key.value else {
            let message = format!("expected a name before the colon, got {}", type_name(&key.value));
            sink.at_span(key.span, Severity::Warning, Code::WrongType, message);
            continue;
        };
        report_commented_out(name, key, value, sink);
        match dialect.role_of(name).filter(|_| !name.bytes().any(|byte| byte == b'.')) {
            Some(FieldRole::Metadata) if dialect.has_nested_fields(name) => {
                read_metadata(&mut frontmatter, dialect, name, (key, value), sink);
            }
            Some(role) => {
                frontmatter.not_for_model |= dialect.is_hidden_by(name, value.as_text());
                set_field(&mut frontmatter, name, role, (key, value), sink);
            }
            None if dialect.has_nested_fields(name) => read_nested(&mut frontmatter, dialect, name, value, mode, sink),
            None => {
                has_unknown = true;
                keep_unknown(&mut frontmatter, name.clone(), value);
            }
        }
    }
    if has_unknown {
        report_unknown(dialect, None, map, mode, sink);
    }
    adapt_texts(dialect, map, sink.path, &mut frontmatter);
    report_missing(dialect, map, &frontmatter, sink, rejected);
    limits::check_frontmatter(dialect, map, &mut frontmatter, mode, sink, rejected);
    frontmatter
}

/// Reads a map whose fields have paths such as `name.field` in the table.
fn read_nested(
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
                Some(role) => set_field(frontmatter, &path, role, (inner_key, inner_value), sink),
                None => keep_unknown(frontmatter, path, inner_value),
            }
        }
        report_unknown(dialect, Some(name), inner, mode, sink);
    } else if !is_absent(value) {
        report_no_map(name, value, sink);
        keep_unknown(frontmatter, name.to_owned(), value);
    }
}

fn report_wrong_type(node: &Node, message: String, help: &str, sink: &mut DiagnosticSink<'_>) {
    sink.at_span(node.span, Severity::Warning, Code::WrongType, message).advise(help);
}

fn report_no_map(name: &str, node: &Node, sink: &mut DiagnosticSink<'_>) {
    let (message, help) = if is_repaired_text(node, sink) {
        let message = format!(
            "the lines below `{name}` are not valid YAML, so its fields are not read; it is kept \
             as text"
        );
        (message, "replace the lines with the corrected ones")
    } else {
        let message = format!("`{name}` is {}, expected a mapping", type_name(&node.value));
        (message, "write its `key: value` lines below it, indented")
    };
    report_wrong_type(node, message, help, sink);
}

/// Whether a value is a text only because the lines of a map were repaired (rule 5.9).
fn is_repaired_text(node: &Node, sink: &DiagnosticSink<'_>) -> bool {
    matches!(node.value, Value::Text(_)) && sink.is_repaired(node)
}

/// Rule 6.6: keeps an unknown field as data.
fn keep_unknown(frontmatter: &mut Frontmatter, name: String, value: &mut Node) {
    match RESTRICTING_FIELDS.iter().find(|(path, _)| *path == name) {
        Some((_, FieldRole::Scripts)) => run_mut(frontmatter).scripts = read_scripts(value),
        Some((_, role)) => debug_assert!(false, "{role:?} is not obeyed in unknown fields"),
        None => {}
    }
    frontmatter.other.push((name, take_json(value)));
}

/// Takes a value out of the map as JSON. A text is moved, and leaves an empty text behind.
fn take_json(node: &mut Node) -> Json {
    match &mut node.value {
        Value::Text(text) if !is_plain_null(node.style, text) => Json::Text(std::mem::take(text)),
        _ => node.to_json(),
    }
}

pub(super) fn set_field(
    frontmatter: &mut Frontmatter,
    name: &str,
    role: &FieldRole,
    (key, node): (&Node, &mut Node),
    sink: &mut DiagnosticSink<'_>,
) {
    match role {
        FieldRole::Name => frontmatter.name = read_text(name, node, sink),
        FieldRole::Description => frontmatter.description = read_visible_text(name, node, sink),
        FieldRole::Version => frontmatter.version = read_text(name, node, sink),
        FieldRole::License => frontmatter.license = read_text(name, node, sink),
        FieldRole::Compatibility => needs_mut(frontmatter).compatibility = read_text(name, node, sink),
        FieldRole::ArgumentHint => run_mut(frontmatter).argument_hint = read_visible_text(name, node, sink),
        FieldRole::Metadata => {
            if let Value::Map(map) = &mut node.value {
                frontmatter.metadata = read_map(map);
            } else if !is_absent(node) {
                // A repaired text has its finding already.
                if !is_repaired_text(node, sink) {
                    report_no_map(name, node, sink);
                }
                frontmatter.other.push((name.to_owned(), take_json(node)));
            }
        }
        // In a dialect where the list restricts, a value without any tool lets none be used.
        FieldRole::AllowedTools => {
            frontmatter.allowed_tools = (!is_absent(node)).then(|| read_list(name, node, Separator::Rules, sink));
        }
        FieldRole::Pinned => frontmatter.pinned = read_flag(name, node, None, sink).unwrap_or(false),
        // Clients may read such a flag under several names, of which each restricts.
        FieldRole::NotForModel => frontmatter.not_for_model |= read_flag(name, node, Some(true), sink).unwrap_or(false),
        FieldRole::ForModel => frontmatter.not_for_model |= !read_flag(name, node, Some(false), sink).unwrap_or(true),
        FieldRole::Products(own) => {
            let products = read_list(name, node, Separator::Commas, sink);
            needs_mut(frontmatter).is_for_other_products =
                !products.is_empty() && !products.iter().any(|one| one.eq_ignore_ascii_case(own));
        }
        FieldRole::ForUser => frontmatter.not_for_user |= !read_flag(name, node, Some(false), sink).unwrap_or(true),
        FieldRole::NeedsBins => {
            let names = read_list(name, node, Separator::Commas, sink).into_iter();
            needs_mut(frontmatter).requires.extend(names.map(Requirement::Bin));
        }
        FieldRole::NeedsEnv => {
            let names = read_list(name, node, Separator::Commas, sink).into_iter();
            needs_mut(frontmatter).requires.extend(names.map(Requirement::Env));
        }
        FieldRole::Namespace => frontmatter.namespace = read_word(name, node, sink),
        FieldRole::WhenToUse => triggers_mut(frontmatter).when_to_use = read_visible_text(name, node, sink),
        FieldRole::Context => run_mut(frontmatter).fork = read_context(name, node, sink),
        FieldRole::Agent => run_mut(frontmatter).agent = read_word(name, node, sink),
        FieldRole::Model => run_mut(frontmatter).model = read_word(name, node, sink),
        FieldRole::Effort => run_mut(frontmatter).effort = read_word(name, node, sink),
        FieldRole::Shell => run_mut(frontmatter).shell = read_word(name, node, sink),
        FieldRole::Background => run_mut(frontmatter).background = read_flag(name, node, None, sink),
        FieldRole::Arguments => run_mut(frontmatter).arguments = read_list(name, node, Separator::Rules, sink),
        FieldRole::Paths => {
            drop_other_scalars(name, node, sink);
            run_mut(frontmatter).paths = read_list(name, node, Separator::Patterns, sink);
        }
        FieldRole::Sandbox => run_mut(frontmatter).sandbox = read_flag(name, node, Some(true), sink).unwrap_or(false),
        FieldRole::Permissions => run_mut(frontmatter).permissions = read_permissions(name, node, sink),
        FieldRole::DisallowedTools => {
            run_mut(frontmatter).disallowed_tools = non_empty(read_list(name, node, Separator::Rules, sink))
        }
        FieldRole::Toolsets => run_mut(frontmatter).toolsets = read_toolsets(name, node, sink),
        FieldRole::Scripts => {
            run_mut(frontmatter).scripts = read_scripts(node);
            if run_mut(frontmatter).scripts == ScriptList::Invalid {
                let message = format!("`{name}` is not a list of names, so no script may run");
                let odd = match &node.value {
                    Value::List(items) => items.iter().find(|item| script_name(item).is_none()),
                    Value::Text(_) | Value::Map(_) | Value::Absent => None,
                };
                report_wrong_type(odd.unwrap_or(node), message, "write one `- name` per line", sink);
            }
        }
        FieldRole::Keywords => triggers_mut(frontmatter).keywords = read_triggers(name, node, sink),
        FieldRole::Verbs => triggers_mut(frontmatter).verbs = read_triggers(name, node, sink),
        FieldRole::Patterns => triggers_mut(frontmatter).patterns = read_patterns(name, node, sink),
        FieldRole::Brief => triggers_mut(frontmatter).brief = read_visible_text(name, node, sink),
        FieldRole::DefaultEnabled => {
            triggers_mut(frontmatter).default_enabled = read_flag(name, node, Some(false), sink)
        }
        FieldRole::Kept => frontmatter.other.push((name.to_owned(), take_json(node))),
        FieldRole::Knowledge => needs_mut(frontmatter).knowledge = read_knowledge(name, node, sink),
        FieldRole::Removed(instead) => {
            let message = format!("the field `{name}` was removed from the format and has no effect");
            sink.at_span(key.span, Severity::Warning, Code::RemovedField, message).advise(instead);
        }
    }
}

fn needs_mut(frontmatter: &mut Frontmatter) -> &mut Needs {
    frontmatter.needs.get_or_insert_default()
}

fn run_mut(frontmatter: &mut Frontmatter) -> &mut RunSettings {
    frontmatter.run.get_or_insert_default()
}

fn triggers_mut(frontmatter: &mut Frontmatter) -> &mut Triggers {
    frontmatter.triggers.get_or_insert_default()
}

fn non_empty(names: Vec<String>) -> Option<Vec<String>> {
    if names.is_empty() { None } else { Some(names) }
}

fn read_context(name: &str, node: &mut Node, sink: &mut DiagnosticSink<'_>) -> Option<bool> {
    let word = read_word(name, node, sink)?;
    match lower(&word).as_str() {
        "inline" => Some(false),
        "fork" => Some(true),
        _ => {
            let message = format!("`{name}` is `{}`, expected inline or fork", excerpt(&word, 40));
            let help = match nearest(&word, ["inline", "fork"].into_iter()).first() {
                Some(near) => format!("did you mean `{near}`? inline is used"),
                None => "write `inline` or `fork`; inline is used".to_owned(),
            };
            report_wrong_type(node, message, &help, sink);
            None
        }
    }
}

/// Rule 10.4: empty triggers are reported and dropped.
fn read_triggers(name: &str, node: &mut Node, sink: &mut DiagnosticSink<'_>) -> Vec<String> {
    report_empty_items("trigger", Code::TriggerEmpty, name, node, sink);
    read_list(name, node, Separator::Commas, sink)
}

/// Reports the empty items of a list. `what` is one item: `trigger`.
fn report_empty_items(what: &str, code: Code, name: &str, node: &Node, sink: &mut DiagnosticSink<'_>) {
    let Value::List(items) = &node.value else { return };
    for item in items.iter().filter(|item| is_absent(item)) {
        let message = format!("a {what} of `{name}` is empty");
        sink.at_span(item.span, Severity::Warning, code, message).advise("remove it");
    }
}

/// Reads patterns. A text is one pattern, even with commas. The patterns stay in the map, as they are checked there
/// later.
fn read_patterns(name: &str, node: &Node, sink: &mut DiagnosticSink<'_>) -> Vec<String> {
    let mut node = node.clone();
    let mut patterns = match &node.value {
        Value::Text(_) => read_word(name, &mut node, sink).into_iter().collect(),
        Value::List(_) | Value::Map(_) | Value::Absent => read_triggers(name, &mut node, sink),
    };
    patterns.truncate(MAX_OF_SKILL);
    patterns
}

/// Reads the pairs whose keys are texts. The list has no spare capacity, as it lives as long as the skill.
fn read_map(map: &mut Pairs) -> Vec<(String, Json)> {
    let mut named = Vec::with_capacity(map.len());
    for (key, value) in map {
        if let Value::Text(name) = &key.value {
            named.push((name.clone(), take_json(value)));
        }
    }
    named
}

/// Rule 6.2: a field that is `null` or empty counts as absent.
pub(crate) fn is_absent(node: &Node) -> bool {
    match &node.value {
        Value::Text(text) => text.trim().is_empty() || is_plain_null(node.style, text),
        Value::Absent => true,
        Value::List(_) | Value::Map(_) => false,
    }
}

/// Reads a text that is shown in lists (rule 6.18).
fn read_visible_text(name: &str, node: &mut Node, sink: &mut DiagnosticSink<'_>) -> Option<String> {
    read_text(name, node, sink).and_then(|text| visible_text(name, text, (node.style, Some(node.span)), sink))
}

/// The flag that a value is, in one of its spellings.
pub(super) fn flag(node: &Node) -> Option<bool> {
    match lower(node.as_text()?.trim()).as_str() {
        "true" | "yes" | "on" | "1" => Some(true),
        "false" | "no" | "off" | "0" => Some(false),
        _ => None,
    }
}

/// Reads a flag. `unreadable` is the value of a flag that cannot be read: one that sets a restriction (rule 6.3).
fn read_flag(name: &str, node: &Node, unreadable: Option<bool>, sink: &mut DiagnosticSink<'_>) -> Option<bool> {
    if is_absent(node) {
        return None;
    }
    match flag(node) {
        Some(flag) => Some(flag),
        None => {
            let got = match sink.slice(node.span) {
                Some(source) => format!("`{}`", excerpt(source.trim(), 40)),
                None => type_name(&node.value).to_owned(),
            };
            let message = format!("`{name}` is {got}, expected true or false");
            let until = unreadable.map_or("the default is used".to_owned(), |set| format!("`{set}` is used"));
            report_wrong_type(node, message, &format!("write `true` or `false`; until then {until}"), sink);
            unreadable
        }
    }
}

/// Reads a word or an item of a list: a text without white space around it, in quotes or not.
fn read_word(name: &str, node: &mut Node, sink: &mut DiagnosticSink<'_>) -> Option<String> {
    read_text(name, node, sink).map(trimmed)
}

/// Reads a text. Rule 6.2: white space around it is kept in quotes alone. Rule 6.4: a list or map counts as its source
/// text, and is reported.
pub(super) fn read_text(name: &str, node: &mut Node, sink: &mut DiagnosticSink<'_>) -> Option<String> {
    if is_absent(node) {
        return None;
    }
    match &mut node.value {
        Value::Text(text) => Some(without_margin(std::mem::take(text), node.style)),
        Value::Absent => None,
        Value::List(_) | Value::Map(_) => {
            let source = sink.slice(node.span)?.trim();
            let got = type_name(&node.value);
            let message = format!("`{name}` is {got}, expected text; used as written: `{}`", excerpt(source, 60));
            let fix = if source.contains(['\n', '\r']) { None } else { quoted_fix(node, source, sink) };
            let finding = sink.at_span(node.span, Severity::Warning, Code::WrongType, message);
            finding.advise("put the value in double quotes");
            finding.fix = fix;
            Some(source.to_owned())
        }
    }
}

/// How many bytes a line may have to be quoted in a fix: a longer one may hold many values.
const MAX_FIX_LINE_BYTES: usize = 400;

/// A fix that puts a value of one line in quotes.
pub(super) fn quoted_fix(node: &Node, source: &str, sink: &DiagnosticSink<'_>) -> Option<Fix> {
    let number = sink.source.position(node.span.start).line;
    let line = sink.source.line(number).filter(|line| line.len() <= MAX_FIX_LINE_BYTES)?;
    let (before, after) = line.split_once(source).filter(|(_, after)| !after.contains(source))?;
    sink.fix(node.span.start, node.span.start, format!("{before}{}{after}", quote_yaml(source)))
}

/// Removes white space at both ends, and spare capacity, as the text lives as long as the skill.
fn trimmed(text: String) -> String {
    let inside = text.trim();
    if inside.len() == text.capacity() { text } else { inside.to_owned() }
}

/// Removes white space around a text, unless it is in quotes, and spare capacity.
fn without_margin(mut text: String, style: Style) -> String {
    if !style.is_quoted() {
        return trimmed(text);
    }
    text.shrink_to_fit();
    text
}

/// Removes invisible and control characters, and reports them at `span`, or for the whole file without a span. `None`
/// if nothing but white space is left.
pub(super) fn visible_text(
    name: &str,
    text: String,
    (style, span): (Style, Option<Span>),
    sink: &mut DiagnosticSink<'_>,
) -> Option<String> {
    let (clean, dropped) = unhidden(&text);
    if dropped {
        report_hidden(name, span, "removed", sink);
    }
    let clean = match clean {
        Cow::Borrowed(_) => without_margin(text, style),
        Cow::Owned(clean) => without_margin(clean, style),
    };
    clean.contains(|c: char| !c.is_whitespace()).then_some(clean)
}

/// Reports invisible and control characters in a field. `done` says what is done with them.
pub(super) fn report_hidden(name: &str, span: Option<Span>, done: &str, sink: &mut DiagnosticSink<'_>) {
    let message = format!("`{name}` contains invisible or control characters, which are {done}");
    let finding = sink.at_span_or_file(span, Severity::Warning, Code::HiddenCharacters, message);
    finding.advise("delete them: a reader does not see them");
}

/// What separates the items of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Separator {
    /// Commas.
    Commas,
    /// Commas or white space, but not within parentheses: `Bash(git *), Read`. An item of a YAML list may hold several
    /// items, separated by commas.
    Rules,
    /// Commas, but not within braces: `src/*.{ts,tsx}, docs/**`.
    Patterns,
}

/// Reads a list. Rule 6.5: a YAML list, or one text with several values; an absent list is empty.
fn read_list(name: &str, node: &mut Node, separator: Separator, sink: &mut DiagnosticSink<'_>) -> Vec<String> {
    if is_absent(node) {
        return Vec::new();
    }
    match &mut node.value {
        Value::Text(text) => split_text(text, separator),
        Value::List(list) => {
            let texts: Vec<String> = list.iter_mut().filter_map(|item| read_word(name, item, sink)).collect();
            match separator {
                Separator::Patterns if node.style == Style::Flow => split_patterns(&texts.join(",")),
                Separator::Commas | Separator::Patterns => texts,
                // YAML ends an item at every comma, even within parentheses.
                Separator::Rules if node.style == Style::Flow => split_commas(&texts.join(", ")),
                Separator::Rules => texts.iter().flat_map(|text| split_commas(text)).collect(),
            }
        }
        Value::Absent => Vec::new(),
        Value::Map(_) => {
            let message = format!("`{name}` is a mapping, expected a list");
            sink.at_span(node.span, Severity::Warning, Code::WrongType, message).advise("write one `- value` per line");
            Vec::new()
        }
    }
}

/// Reads a list with commas, each item with its span; the span of the whole value for an item that is not found in it.
fn read_list_with_spans(name: &str, node: &mut Node, sink: &mut DiagnosticSink<'_>) -> Vec<(String, Span)> {
    let whole = node.span;
    let mut from = whole.start;
    // In a list that was repaired, the spans of the items are only near the truth.
    let mut is_moved = sink.is_repaired(node);
    match &mut node.value {
        Value::List(items) => {
            let mut found_items = Vec::with_capacity(items.len());
            for item in items {
                let Some(text) = read_word(name, item, sink) else { continue };
                let found = if is_moved { find(&text, Span { start: from, ..whole }, sink) } else { None };
                is_moved &= found.is_some();
                let span = found.unwrap_or(item.span);
                from = span.end.max(from);
                found_items.push((text, span));
            }
            found_items
        }
        Value::Text(_) => {
            let items = read_list(name, node, Separator::Commas, sink);
            let with_span = |item: String| {
                let span = find(&item, Span { start: from, ..whole }, sink);
                from = span.map_or(from, |span| span.end);
                (item, span.unwrap_or(whole))
            };
            items.into_iter().map(with_span).collect()
        }
        Value::Map(_) | Value::Absent => {
            read_list(name, node, Separator::Commas, sink);
            Vec::new()
        }
    }
}

/// The span of the first occurrence of a text within a part of the document.
fn find(text: &str, within: Span, sink: &DiagnosticSink<'_>) -> Option<Span> {
    let start = within.start + sink.slice(within)?.find(text)?;
    Some(Span { start, end: start + text.len() })
}

/// Rule 9.10: a number or `true` is no pattern.
fn drop_other_scalars(name: &str, node: &mut Node, sink: &mut DiagnosticSink<'_>) {
    let is_other = |node: &Node| matches!(node.value, Value::Text(_)) && !is_absent(node) && !is_string(node);
    let other = match &mut node.value {
        Value::List(items) => {
            let other = items.iter().find(|item| is_other(item)).map(|item| item.span);
            items.retain(|item| !is_other(item));
            other
        }
        Value::Text(_) | Value::Map(_) | Value::Absent => is_other(node).then_some(node.span),
    };
    if is_other(node) {
        node.value = Value::Absent;
    }
    if let Some(span) = other {
        let message = format!("`{name}` has a value that is no text, which is ignored");
        sink.at_span(span, Severity::Warning, Code::WrongType, message).advise("put the pattern in double quotes");
    }
}

/// Splits a text into its items, line by line. A line of the form `- item` is one item.
fn split_text(text: &str, separator: Separator) -> Vec<String> {
    let mut found = Vec::new();
    // A pattern with an open bracket matches nothing (rule 9.10).
    let is_open = separator == Separator::Patterns && !text.trim_end_matches([',', ';', '.', ' ']).ends_with(']');
    let text = if is_open { text } else { unbracketed(text.trim()) };
    for line in text.lines() {
        let items = match (line.trim().strip_prefix("- "), separator) {
            (Some(item), Separator::Commas | Separator::Patterns) => vec![item.trim().to_owned()],
            (Some(item), Separator::Rules) => split_commas(item),
            (None, Separator::Commas) => split_list(line),
            (None, Separator::Rules) => split_rules(line),
            (None, Separator::Patterns) => split_patterns(line),
        };
        for mut item in items {
            let inner = unquoted(&item);
            if inner.len() < item.len() {
                item = inner.to_owned();
            }
            if !item.is_empty() {
                found.push(item);
            }
        }
    }
    found
}

/// The text without the brackets around it and a mark or a comment behind them, or without an opening bracket that is never
/// closed.
fn unbracketed(text: &str) -> &str {
    let Some(inner) = text.strip_prefix('[') else { return text };
    let mut depth = 1_usize;
    for (at, c) in inner.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            let rest = inner[at + 1..].trim();
            let is_list = matches!(rest, "" | "," | ";" | ".") || rest.starts_with('#');
            return if is_list { &inner[..at] } else { text };
        }
    }
    if inner.contains(']') { text } else { inner }
}

fn unquoted(text: &str) -> &str {
    let inside = ['"', '\''].iter().find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote));
    inside.map_or(text, str::trim)
}

/// Reads the names of knowledge files, and records where each is named.
fn read_knowledge(name: &str, node: &mut Node, sink: &mut DiagnosticSink<'_>) -> Vec<String> {
    let mut files = Vec::new();
    for (file, span) in read_list_with_spans(name, node, sink) {
        let mark = sink.mark(span);
        sink.knowledge.push(mark);
        files.push(file);
    }
    files
}

/// Reads the tags of permissions, each once, in order (rule 16.6).
fn read_permissions(name: &str, node: &mut Node, sink: &mut DiagnosticSink<'_>) -> Vec<String> {
    let mut tags: Vec<String> = Vec::new();
    for (tag, span) in read_list_with_spans(name, node, sink) {
        if Permission::parse(&tag).is_none() {
            let message = format!("`{}` is not a permission tag", excerpt(&tag, 60));
            sink.at_span(span, Severity::Warning, Code::UnknownPermission, message)
                .advise("write @network, @events, @read:PATH, @write:PATH, or another tag that begins with @");
        }
        if !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    tags
}

fn read_toolsets(name: &str, node: &mut Node, sink: &mut DiagnosticSink<'_>) -> Vec<String> {
    report_empty_items("toolset", Code::WrongType, name, node, sink);
    let toolsets = read_list_with_spans(name, node, sink);
    for (odd, span) in toolsets.iter().filter(|(toolset, _)| toolset_parts(toolset).is_none()) {
        let message = format!("the toolset `{}` is not of the form `path:Export`", excerpt(odd, 60));
        sink.at_span(*span, Severity::Warning, Code::WrongType, message)
            .advise("write the path of a file in the skill, a colon, and the name of its export");
    }
    toolsets.into_iter().map(|(toolset, _)| toolset).collect()
}

/// The path and the export of a toolset: `toolsets/index:HelloToolset`.
pub(crate) fn toolset_parts(toolset: &str) -> Option<(&str, &str)> {
    let (path, export) = toolset.split_once(':')?;
    let (path, export) = (path.trim(), export.trim());
    (!path.is_empty() && !export.is_empty()).then_some((path, export))
}

pub(crate) struct Item {
    pub(crate) text: String,
    mark: Mark,
}

impl Item {
    /// Its text, and where it begins and ends.
    #[cfg(feature = "author")]
    pub(crate) fn into_place(self) -> (String, (Position, Position)) {
        let Item { text, mark } = self;
        (text, (mark.at, mark.to.unwrap_or(mark.at)))
    }

    pub(crate) fn locate(&self, mut finding: Diagnostic) -> Diagnostic {
        finding.mark(self.mark.clone());
        finding
    }
}

/// The items of the field with this role in a SKILL.md of these bytes; none if there is no such list.
pub(crate) fn items(extras: &Extras, dialect: &Dialect, path: &FsPath, bytes: &[u8], role: &FieldRole) -> Vec<Item> {
    let (Some(field), Ok(text)) = (dialect.path_of(role), utf8(bytes, false)) else { return Vec::new() };
    let source = Source::new(text);
    let mut sink = DiagnosticSink::new(path, &source);
    let Some(FrontmatterOutcome::Map(map)) = front(extras, dialect, &mut sink, false).map(|front| front.outcome) else {
        return Vec::new();
    };
    let Some(node) = limits::value_at(&map, field) else { return Vec::new() };
    let items = read_list_with_spans(field, &mut node.clone(), &mut sink);
    items.into_iter().map(|(text, span)| Item { text, mark: sink.mark(span) }).collect()
}

/// Reads a list of scripts. Rule 17.1: a YAML list or one text with names. A value that could mean something else,
/// such as a map, an alias, a number or `true`, allows no script.
fn read_scripts(node: &Node) -> ScriptList {
    let names = match &node.value {
        Value::Text(_) if is_absent(node) => return ScriptList::Absent,
        Value::Text(text) => script_name(node).map(|_| split_list(text)),
        Value::List(items) => items.iter().map(script_name).collect(),
        Value::Map(_) | Value::Absent => None,
    };
    names.map_or(ScriptList::Invalid, ScriptList::Names)
}

fn script_name(item: &Node) -> Option<String> {
    match &item.value {
        Value::Text(text) if !is_absent(item) && !is_other_scalar(item, text) => Some(text.trim().to_owned()),
        _ => None,
    }
}

/// Whether YAML reads a text as a boolean or a number.
fn is_other_scalar(node: &Node, text: &str) -> bool {
    let word = lower(text.trim());
    let is_flag = matches!(word.as_str(), "true" | "yes" | "on" | "false" | "no" | "off");
    node.style == Style::Plain && (is_flag || !word.starts_with(char::is_alphabetic) && is_number(&word))
}

/// Reads the author's own map, and those of its fields that the table has. The map itself stays as it is written.
fn read_metadata(
    frontmatter: &mut Frontmatter,
    dialect: &Dialect,
    name: &str,
    (key, node): (&Node, &mut Node),
    sink: &mut DiagnosticSink<'_>,
) {
    if let Value::Map(mut inner) = node.value.clone() {
        for (inner_key, inner_value) in &mut inner {
            let Value::Text(inner_name) = &inner_key.value else { continue };
            let path = format!("{name}.{inner_name}");
            let role = dialect.role_of(&path);
            role.into_iter().for_each(|role| set_field(frontmatter, &path, role, (inner_key, inner_value), sink));
        }
    }
    set_field(frontmatter, name, &FieldRole::Metadata, (key, node), sink);
}
