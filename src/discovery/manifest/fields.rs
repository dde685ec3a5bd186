//! Reads the map of a frontmatter into a [`Frontmatter`] by a dialect's field table. One place decides how text, flags,
//! lists and maps may be spelled (rules 6.2, 6.3, 6.4 and 6.5), and one `match` sets the field of each [`FieldRole`].

use super::faithful::adapt_name;
use super::front::type_name;
use super::items::{read_knowledge, read_permissions, read_toolsets};
use super::lists::{Separator, read_list};
use super::metadata::read_metadata;
use super::missing::{report_commented_out, report_missing};
use super::scripts::read_scripts;
use super::texts::{read_text, read_word, visible_text};
use super::unknown::report_unknown;
use super::{DiagnosticSink, ReadMode, authoring, limits};
use crate::diagnostic::{Code, Severity};
use crate::dialect::{Dialect, FieldRole, RESTRICTING_FIELDS};
use crate::model::skill::{Context, Frontmatter, Needs, Requirement, RunSettings, ScriptList, Triggers};
use crate::text::json::Json;
use crate::text::lower::lower;
use crate::text::pattern::MAX_OF_SKILL;
use crate::text::words::{excerpt, nearest};
use crate::text::yaml::{Node, Style, Value, is_plain_null};

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
        authoring::check_written(dialect, map, mode, sink);
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
            Some(role) => set_field(&mut frontmatter, name, role, (key, value), sink),
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
    adapt_name(dialect, map, &mut frontmatter);
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

/// Reports a value of another type than its field has.
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

/// Sets the field of the frontmatter that has this role.
pub(super) fn set_field(
    frontmatter: &mut Frontmatter,
    name: &str,
    role: &FieldRole,
    (key, node): (&Node, &mut Node),
    sink: &mut DiagnosticSink<'_>,
) {
    match role {
        FieldRole::Name => set_text(&mut frontmatter.name, name, node, sink),
        FieldRole::Description => set_visible_text(&mut frontmatter.description, name, node, sink),
        FieldRole::Version => set_text(&mut frontmatter.version, name, node, sink),
        FieldRole::License => set_text(&mut frontmatter.license, name, node, sink),
        FieldRole::Compatibility => set_text(&mut needs_mut(frontmatter).compatibility, name, node, sink),
        FieldRole::ArgumentHint => set_visible_text(&mut run_mut(frontmatter).argument_hint, name, node, sink),
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
        FieldRole::AllowedTools => frontmatter.allowed_tools = non_empty(read_list(name, node, Separator::Rules, sink)),
        FieldRole::Pinned => frontmatter.pinned = read_flag(name, node, None, sink).unwrap_or(false),
        FieldRole::NotForModel => frontmatter.not_for_model = read_flag(name, node, Some(true), sink).unwrap_or(false),
        FieldRole::ForModel => frontmatter.not_for_model = !read_flag(name, node, Some(false), sink).unwrap_or(true),
        FieldRole::Products(own) => {
            let products = read_list(name, node, Separator::Commas, sink);
            needs_mut(frontmatter).is_for_other_products =
                !products.is_empty() && !products.iter().any(|one| one == own);
        }
        FieldRole::ForUser => frontmatter.not_for_user = !read_flag(name, node, Some(false), sink).unwrap_or(true),
        FieldRole::NeedsBins => {
            add_requirements(frontmatter, read_list(name, node, Separator::Commas, sink), Requirement::Bin)
        }
        FieldRole::NeedsEnv => {
            add_requirements(frontmatter, read_list(name, node, Separator::Commas, sink), Requirement::Env)
        }
        FieldRole::Namespace => set_word(&mut frontmatter.namespace, name, node, sink),
        FieldRole::WhenToUse => set_visible_text(&mut triggers_mut(frontmatter).when_to_use, name, node, sink),
        FieldRole::Context => run_mut(frontmatter).context = read_context(name, node, sink),
        FieldRole::Agent => set_word(&mut run_mut(frontmatter).agent, name, node, sink),
        FieldRole::Model => set_word(&mut run_mut(frontmatter).model, name, node, sink),
        FieldRole::Effort => set_word(&mut run_mut(frontmatter).effort, name, node, sink),
        FieldRole::Shell => set_word(&mut run_mut(frontmatter).shell, name, node, sink),
        FieldRole::Background => run_mut(frontmatter).background = read_flag(name, node, None, sink),
        FieldRole::Arguments => run_mut(frontmatter).arguments = read_list(name, node, Separator::Rules, sink),
        FieldRole::Paths => run_mut(frontmatter).paths = read_list(name, node, Separator::Patterns, sink),
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
                report_wrong_type(node, message, "write one `- name` per line", sink);
            }
        }
        FieldRole::Keywords => triggers_mut(frontmatter).keywords = read_triggers(name, node, sink),
        FieldRole::Verbs => triggers_mut(frontmatter).verbs = read_triggers(name, node, sink),
        FieldRole::Patterns => triggers_mut(frontmatter).patterns = read_patterns(name, node, sink),
        FieldRole::Brief => set_visible_text(&mut triggers_mut(frontmatter).brief, name, node, sink),
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

/// The names, or `None` if there are none.
fn non_empty(names: Vec<String>) -> Option<Vec<String>> {
    if names.is_empty() { None } else { Some(names) }
}

fn add_requirements(frontmatter: &mut Frontmatter, names: Vec<String>, requirement: fn(String) -> Requirement) {
    let needs = needs_mut(frontmatter);
    names.into_iter().for_each(|name| needs.requires.push(requirement(name)));
}

fn read_context(name: &str, node: &mut Node, sink: &mut DiagnosticSink<'_>) -> Option<Context> {
    let word = read_word(name, node, sink)?;
    match lower(&word).as_str() {
        "inline" => Some(Context::Inline),
        "fork" => Some(Context::Fork),
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
pub(super) fn report_empty_items(what: &str, code: Code, name: &str, node: &Node, sink: &mut DiagnosticSink<'_>) {
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
        Value::Text(text) => {
            text.trim().is_empty()
                || (node.style == Style::Plain && matches!(text.as_str(), "~" | "null" | "Null" | "NULL"))
        }
        Value::Absent => true,
        Value::List(_) | Value::Map(_) => false,
    }
}

fn set_text(field: &mut Option<String>, name: &str, node: &mut Node, sink: &mut DiagnosticSink<'_>) {
    *field = read_text(name, node, sink);
}

fn set_word(field: &mut Option<String>, name: &str, node: &mut Node, sink: &mut DiagnosticSink<'_>) {
    *field = read_word(name, node, sink);
}

/// Sets a text that is shown in lists (rule 6.18).
fn set_visible_text(field: &mut Option<String>, name: &str, node: &mut Node, sink: &mut DiagnosticSink<'_>) {
    *field = read_text(name, node, sink).and_then(|text| visible_text(name, text, (node.style, Some(node.span)), sink));
}

/// Reads a flag. `unreadable` is the value of a flag that cannot be read: one that sets a restriction (rule 6.3).
fn read_flag(name: &str, node: &Node, unreadable: Option<bool>, sink: &mut DiagnosticSink<'_>) -> Option<bool> {
    if is_absent(node) {
        return None;
    }
    let word = match &node.value {
        Value::Text(text) => Some(lower(text.trim())),
        Value::List(_) | Value::Map(_) | Value::Absent => None,
    };
    match word.as_deref() {
        Some("true" | "yes" | "on" | "1") => Some(true),
        Some("false" | "no" | "off" | "0") => Some(false),
        Some(_) | None => {
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
