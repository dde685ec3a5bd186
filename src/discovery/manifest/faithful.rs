//! Reads a frontmatter as a client itself does, its faults included (rule 4.11): nothing is repaired that the client
//! does not repair, and nothing is read that it does not read. `split` finds the fences, `read` reads the YAML, and
//! `fit` takes out of the fields what the client does not take: words that are no flags, and values of other types than
//! it expects. The fields themselves are read as in all dialects.

use super::fields::{flag, is_absent, quoted_fix, report_hidden};
use super::front::{
    self, Front, FrontmatterOutcome, moved_span, moving_fix, rebased_map, report_control, report_notices,
    report_unclosed, set_help, take_repaired, type_name,
};
use super::limits::value_at;
use super::refused::is_merge;
use super::types;
use super::{DiagnosticSink, head};
use crate::diagnostic::{Code, Fix, Severity};
use crate::dialect::{
    Beside, ControlCharacters, Dialect, DuplicateKeys, Fence, FieldRole, HeaderRule, InvalidYaml, LastLineFeed, Markup,
    OtherFlags, OtherScalars, Permitted, Reading, StandardFields, Whitespace,
};
use crate::discovery::extras::Extras;
use crate::model::parsed::ParsedFrontmatter;
use crate::model::skill::Frontmatter;
use crate::path::FsPath;
use crate::text::escape::{fold, spaced, unhidden, visible};
use crate::text::frontmatter::{DASHES, before, body_start, line_end};
use crate::text::lines::lines;
use crate::text::repair::{Quoted, Repaired, Shape};
use crate::text::words::excerpt;
use crate::text::yaml::{Document, Node, Notice, NoticeKind, Span, Style, Value, is_string, shortest_number};
use crate::text::{repair, yaml};
use std::collections::HashSet;
use std::ops::Range;

type Pairs = [(Node, Node)];

type Read = (Vec<(Node, Node)>, Vec<Notice>);

/// What keeps a client from reading a frontmatter as YAML.
pub(crate) struct Fault {
    code: Code,
    span: Span,
    message: String,
}

/// Splits a document and reads its frontmatter. `None` if `partial` says that the text is a prefix, and more is needed.
pub(super) fn front(extras: &Extras, dialect: &Dialect, sink: &mut DiagnosticSink<'_>, partial: bool) -> Option<Front> {
    let (text, end) = (head(sink.source), sink.source.text().len());
    let parts = match split(&dialect.header, text, end) {
        _ if sink.source.has_byte_order_mark() && dialect.header.byte_order_mark == Permitted::No => {
            Err(Missing::ByteOrderMark)
        }
        parts => parts,
    };
    if partial && !parts.as_ref().is_ok_and(|parts| parts.is_certain) {
        return None;
    }
    report_control(sink);
    let parts = match parts {
        Ok(parts) => parts,
        Err(missing) => {
            let outcome = FrontmatterOutcome::Missing(report_missing(dialect, missing, sink));
            return Some(Front { outcome, body: 0..end });
        }
    };
    if let Some(fence) = parts.unclosed {
        let client = &dialect.name;
        let message =
            format!("the frontmatter is not closed, so `{client}` treats everything that follows as frontmatter");
        report_unclosed(sink, fence, Severity::Warning, message);
    }
    report_early_end(dialect, &parts.yaml, sink);
    let yaml = &text[parts.yaml.clone()];
    let outcome = match read(dialect, yaml) {
        Ok((map, notices)) => {
            report_long_keys(extras, dialect, sink, (yaml, parts.yaml.start), &map);
            report_notices(sink, notices, parts.yaml.start);
            FrontmatterOutcome::Map(rebased_map(map, parts.yaml.start))
        }
        Err(fault) => (extras.recover)(dialect, sink, &parts, fault),
    };
    Some(Front { outcome, body: parts.body })
}

/// Whether a key is longer than its author meant, as no blank follows the colon of a field (rule 5.7).
fn is_long(key: &Node) -> bool {
    key.style == Style::Plain && key.as_text().is_some_and(|name| repair::tight_colon(name).is_some())
}

/// Reports such keys, with the corrections of their lines.
fn report_long_keys(
    extras: &Extras,
    dialect: &Dialect,
    sink: &mut DiagnosticSink<'_>,
    (text, base): (&str, usize),
    map: &Pairs,
) {
    if !map.iter().any(|(key, _)| is_long(key)) {
        return;
    }
    let span = Span { start: 0, end: text.len() };
    let root = Node { value: Value::Map(map.to_vec()), span, style: Style::Block, tag: None };
    let document = Document { root: Some(root), notices: Vec::new(), words: Vec::new() };
    let before = sink.findings.len();
    (extras.reread)(dialect, sink, (text, base), &document);
    let found = sink.findings.split_off(before);
    for mut finding in found.into_iter().filter(|found| matches!(found.code, Code::YamlRepaired | Code::NotRead)) {
        if finding.code == Code::YamlRepaired {
            finding.message = format!(
                "no space after the colon of a field; `{}` takes what follows for a part of the key",
                dialect.name
            );
        }
        sink.findings.push(finding);
    }
}

/// Reports a closing fence with other text in its line or before it if a line of dashes follows, which is the one that other clients
/// take.
fn report_early_end(dialect: &Dialect, yaml: &Range<usize>, sink: &mut DiagnosticSink<'_>) {
    let text = head(sink.source);
    let Some(at) = text[yaml.end..].find(DASHES).map(|found| yaml.end + found) else { return };
    let (start, end) = (text[..at].rfind('\n').map_or(0, |before| before + 1), line_end(text, at));
    let line = text[start..end].trim_end();
    if start == at && line == DASHES {
        return;
    }
    let message = format!("`{}` ends the frontmatter at this `---`, and reads what follows as the body", dialect.name);
    let mark = Span { start: at, end: at + DASHES.len() };
    let Some((closing, _)) = lines(&text[end..]).find(|(_, line)| line.trim_end() == DASHES) else {
        // A line before these dashes may have been meant as the fence.
        let opening = text[..yaml.start].rfind(DASHES);
        let meant = opening.and_then(|opening| front::help_for_missing_closing(sink, opening));
        let number = sink.source.position(at).line;
        if let Some((help, fix)) = meant.filter(|(_, fix)| fix.as_ref().is_some_and(|fix| fix.line < number)) {
            set_help(sink.at_span(mark, Severity::Warning, Code::FrontmatterFence, message), help, fix);
        }
        return;
    };
    // Nothing but fields up to the closing fence shows that the line is not meant as one.
    let is_key = |line: &str| line.split_once(':').is_some_and(|(key, _)| !key.contains([' ', '\t']));
    let mut rest = lines(&text[end..end + closing]).map(|(_, line)| line);
    let is_inside =
        rest.next().is_some_and(is_key) && rest.all(|line| line.starts_with([' ', '\t', '#', '-']) || is_key(line));
    if !is_inside && start == at && line.trim_start_matches('-').is_empty() {
        return;
    }
    // A rule within a block scalar has the indentation of the line before it.
    let indent = |line: &str| line.len() - line.trim_start().len();
    let before = text[..start].lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let ends_header = before.trim_end_matches(['-', '+', ' ']).ends_with(['|', '>']);
    let is_outside = start == at || (indent(before) != indent(&text[start..end]) && !ends_header);
    let is_fence =
        is_outside && text[start..end].trim_matches(|c: char| c.is_whitespace() || "-.".contains(c)).is_empty();
    // A line that is a comment, or is read as one.
    let comment = line.strip_prefix('#').or_else(|| line.strip_prefix(DASHES).map(|_| line)).filter(|_| is_inside);
    let is_empty = comment.is_some_and(|comment| comment.trim_matches([' ', '-']).is_empty());
    let fix = match comment {
        Some(_) if is_empty => sink.fix_lines(start, start, String::new()),
        Some(comment) => sink.fix(start, start, format!("# {}", comment.trim_start().replace(DASHES, "—"))),
        None if is_fence => sink.fix(start, start, DASHES.to_owned()),
        None => None,
    };
    let finding = sink.at_span(mark, Severity::Warning, Code::FrontmatterFence, message);
    finding.fix = fix;
    finding.advise(match is_fence {
        _ if is_empty => "remove the line",
        true if comment.is_none() => "write `---` alone on the line, without indentation",
        _ => "write another dash, such as `—`, or `-\\x2d-` within double quotes",
    });
}

/// Whether the frontmatter that the client finds in a prefix of a text is that of the whole text.
pub(super) fn is_certain(dialect: &Dialect, text: &str) -> bool {
    split(&dialect.header, text, text.len()).is_ok_and(|parts| parts.is_certain)
}

/// A frontmatter that all clients split and parse alike, as this client takes it; `None` if its values are not what the
/// client expects.
pub(super) fn parsed_front(dialect: &Dialect, parsed: &ParsedFrontmatter) -> Option<Front> {
    let end = parsed.text.len();
    let is_valid = fault_of(dialect, &parsed.map, &[]).is_none() && !parsed.map.iter().any(|(key, _)| is_long(key));
    let map = is_valid.then(|| rebased_map(parsed.map.clone(), ParsedFrontmatter::FENCE.len()))?;
    Some(Front { outcome: FrontmatterOutcome::Map(map), body: end..end })
}

fn read(dialect: &Dialect, text: &str) -> Result<Read, Fault> {
    let fault = |span, message| Err(Fault { code: Code::Yaml, span, message });
    let document = match yaml::parse_by(text, dialect.header.duplicate_keys == DuplicateKeys::Last) {
        Ok(document) => document,
        Err(error) => return fault(Span { start: error.at, end: error.at }, error.message),
    };
    let mut map = match document.root {
        None => Vec::new(),
        Some(Node { value: Value::Map(map), .. }) => map,
        Some(other) => {
            return fault(other.span, format!("expected `key: value` lines, got {}", type_name(&other.value)));
        }
    };
    if dialect.header.merge_keys == Permitted::Yes {
        merge(&mut map);
    }
    let is_permitted = dialect.header.other_characters == Permitted::Yes;
    let other = if is_permitted { None } else { text.char_indices().find(|(_, c)| is_other(*c)) };
    if let Some((at, c)) = other {
        let message = format!("the character U+{:04X} is not permitted", c as u32);
        return fault(Span { start: at, end: at + c.len_utf8() }, message);
    }
    if dialect.header.last_line_feed == LastLineFeed::Missing {
        drop_last_line_feed(text, &mut map);
    }
    match fault_of(dialect, &map, &document.notices) {
        Some(fault) => Err(fault),
        None => Ok((map, document.notices)),
    }
}

/// Takes the last line feed from a block scalar that ends with the text.
fn drop_last_line_feed(text: &str, map: &mut Pairs) {
    // A line of the block is indented, and a comment behind it need not be.
    let ends_in_block = text.lines().last().is_some_and(|line| line.starts_with([' ', '\t'])) && !text.ends_with('\n');
    if let Some((_, Node { value: Value::Text(last), style, .. })) = map.last_mut().filter(|_| ends_in_block) {
        if style.is_block_scalar() && last.ends_with('\n') {
            last.pop();
        }
    }
}

/// Adds the pairs that keys `<<` bring in. A key that is there already stays as it is.
fn merge(map: &mut Vec<(Node, Node)>) {
    let merged: Vec<Node> = map.iter().filter(|(key, _)| is_merge(key)).map(|(_, value)| value.clone()).collect();
    if merged.is_empty() {
        return;
    }
    let name = |key: &Node| key.as_text().map(str::to_owned);
    let mut known: HashSet<Option<String>> = map.iter().map(|(key, _)| name(key)).collect();
    let maps = merged.into_iter().flat_map(|value| match value.value {
        Value::List(items) => items,
        _ => vec![value],
    });
    for Node { value, .. } in maps {
        let Value::Map(pairs) = value else { continue };
        for (key, value) in pairs {
            if known.insert(name(&key)) {
                map.push((key, value));
            }
        }
    }
}

/// Whether YAML does not permit a character, or YAML 1.1 takes it for a line end and YAML 1.2 does not.
fn is_other(c: char) -> bool {
    let is_control = c.is_control() && !matches!(c, '\t' | '\n' | '\r');
    is_control || matches!(c, '\u{2028}' | '\u{2029}' | '\u{FFFE}' | '\u{FFFF}')
}

fn fault_of(dialect: &Dialect, map: &Pairs, notices: &[Notice]) -> Option<Fault> {
    let header = &dialect.header;
    let duplicate = notices.iter().find_map(|notice| match &notice.what {
        NoticeKind::DuplicateKey { key, .. } if header.duplicate_keys == DuplicateKeys::No => Some((notice.span, key)),
        _ => None,
    });
    if let Some((span, key)) = duplicate {
        return Some(Fault { code: Code::Yaml, span, message: format!("the key `{}` occurs twice", visible(key)) });
    }
    if let Some(node) = unknown_tag(map).filter(|_| header.unknown_tags == Permitted::No) {
        let message = format!("the tag `{}` is unknown", visible(node.tag.as_deref().unwrap_or_default()));
        return Some(Fault { code: Code::Yaml, span: node.span, message });
    }
    let expected = |role: &FieldRole, expected: &str, is_fine: &dyn Fn(&Node) -> bool| {
        let field = dialect.path_of(role)?;
        let value = value_at(map, field).filter(|value| !is_fine(value))?;
        let message = format!("`{field}` is {}, expected {expected}", shown(value));
        let code = if *role == FieldRole::Metadata { Code::Yaml } else { Code::WrongType };
        Some(Fault { code, span: value.span, message })
    };
    let texts = [FieldRole::Name, FieldRole::Description];
    if header.other_metadata == Permitted::No {
        let is_map = |node: &Node| match &node.value {
            Value::Text(text) => text.is_empty() && node.style == Style::Plain,
            Value::Map(_) | Value::Absent => true,
            Value::List(_) => false,
        };
        let is_scalar = |node: &Node| matches!(node.value, Value::Text(_) | Value::Absent);
        let found = expected(&FieldRole::Metadata, "a mapping", &is_map);
        let is_typed = header.other_scalars == OtherScalars::Yes;
        let found =
            found.or_else(|| texts.iter().filter(|_| is_typed).find_map(|role| expected(role, "text", &is_scalar)));
        if found.is_some() {
            return found;
        }
    }
    if header.invalid_yaml != InvalidYaml::Lines {
        return None;
    }
    let is_missing = |role: &FieldRole| {
        let field = dialect.path_of(role).filter(|field| value_at(map, field).is_none())?;
        let (code, span) = (missing_code(role), Span { start: 0, end: 0 });
        Some(Fault { code, span, message: format!("the field `{field}` is missing") })
    };
    texts.iter().find_map(|role| expected(role, "a string", &is_string).or_else(|| is_missing(role)))
}

/// The first of the values with a tag that YAML does not know. Those within lists and maps are not looked at.
fn unknown_tag(map: &Pairs) -> Option<&Node> {
    map.iter().map(|(_, value)| value).find(|value| is_unknown_tag(value))
}

fn is_unknown_tag(node: &Node) -> bool {
    node.tag.as_deref().is_some_and(|tag| tag != "!" && yaml::own_tag(tag).is_none())
}

fn missing_code(role: &FieldRole) -> Code {
    if *role == FieldRole::Name { Code::NameMissing } else { Code::DescriptionMissing }
}

/// What a client does with a frontmatter that it cannot read as YAML.
pub(crate) fn recover(
    dialect: &Dialect,
    sink: &mut DiagnosticSink<'_>,
    parts: &Parts,
    fault: Fault,
) -> FrontmatterOutcome {
    let source = sink.source;
    let (text, base) = (&source.text()[parts.yaml.clone()], parts.yaml.start);
    let shape = |key: &str| dialect.shape(key);
    let last_counts = dialect.header.duplicate_keys == DuplicateKeys::Last;
    let quoted = match dialect.header.invalid_yaml {
        InvalidYaml::Skip => None,
        InvalidYaml::Empty => Some(Quoted::Special),
        InvalidYaml::Quote => Some(Quoted::Misread),
        InvalidYaml::QuoteColons => Some(Quoted::WithColon { as_block: false }),
        InvalidYaml::BlockColons => Some(Quoted::WithColon { as_block: true }),
        InvalidYaml::Lines => return recover_lines(dialect, sink, (text, base), fault),
        InvalidYaml::Flat => {
            report_mendable(dialect, sink, (text, base), (Severity::Warning, "reads it line by line"), fault);
            return FrontmatterOutcome::Map(rebased_map(repair::flat(text, &shape), base));
        }
        InvalidYaml::Tolerant => {
            let meant = repair::by_line(text, &shape);
            if meant.mends.is_empty() {
                report_mendable(dialect, sink, (text, base), (Severity::Warning, "reads it line by line"), fault);
            }
            return take_repaired(sink, meant, base, "invalid YAML").0;
        }
    };
    let is_lenient = matches!(quoted, Some(Quoted::WithColon { .. }));
    let lenient = if is_lenient { repair::lenient(text) } else { None };
    // A lenient client looks for plain fences before it quotes anything.
    let is_fenced = || {
        let is_plain = ["---\n", "---\r\n"].iter().any(|fence| source.text().starts_with(fence));
        is_plain && !source.has_byte_order_mark() && parts.unclosed.is_none()
    };
    let quoted = quoted.filter(|_| !is_lenient || is_fenced());
    let meant = lenient.or_else(|| Some(corrected(repair::quote(text, quoted?, last_counts)?, text, &shape)));
    let meant = meant.filter(|meant| match &meant.root.value {
        Value::Map(map) => fault_of(dialect, map, &meant.notices).is_none(),
        Value::Text(_) | Value::List(_) | Value::Absent => false,
    });
    if let Some(meant) = meant {
        // Values may be put in quotes that are valid YAML.
        if meant.mends.is_empty() {
            report_mendable(dialect, sink, (text, base), (Severity::Warning, "reads it all the same"), fault);
        }
        return take_repaired(sink, meant, base, "invalid YAML").0;
    }
    if dialect.header.invalid_yaml == InvalidYaml::Empty {
        report_mendable(dialect, sink, (text, base), (Severity::Warning, "reads no field of it"), fault);
        return FrontmatterOutcome::Map(Vec::new());
    }
    let code = fault.code;
    report_mendable(dialect, sink, (text, base), (Severity::Error, "does not read the file"), fault);
    FrontmatterOutcome::Lost(code)
}

/// What a client reads, with other corrections of values by which these become what their author meant, where there are some.
fn corrected(mut read: Repaired, text: &str, shape: &dyn Fn(&str) -> Shape) -> Repaired {
    let mends = repair::repair(text, shape).map(|meant| meant.mends).unwrap_or_default();
    for mend in read.mends.iter_mut().filter(|mend| mend.line_start < mend.at) {
        // These are in the order of their lines.
        let next = mends.partition_point(|own| own.line_start < mend.line_start);
        if let Some(own) = mends.get(next).filter(|own| own.line_start == mend.line_start) {
            (mend.end, mend.with) = (own.end, own.with.clone());
        }
    }
    read
}

/// Reads the lines of the name and the description alone.
fn recover_lines(
    dialect: &Dialect,
    sink: &mut DiagnosticSink<'_>,
    (text, base): (&str, usize),
    fault: Fault,
) -> FrontmatterOutcome {
    let roles = [FieldRole::Name, FieldRole::Description];
    let fields = [dialect.path_of(&roles[0]).unwrap_or("name"), dialect.path_of(&roles[1]).unwrap_or("description")];
    let found = repair::last_lines(text, fields);
    let lost = found.iter().zip(&roles).find_map(|(found, role)| found.is_none().then(|| missing_code(role)));
    if let Some(code) = lost {
        report_mendable(
            dialect,
            sink,
            (text, base),
            (Severity::Error, "does not read the file"),
            Fault { code, ..fault },
        );
        return FrontmatterOutcome::Lost(code);
    }
    let client = "reads only its lines for the name and the description, with quotes and comments as they are";
    let code = if fault.code == Code::Yaml { Code::Yaml } else { Code::WrongType };
    report_mendable(dialect, sink, (text, base), (Severity::Warning, client), Fault { code, ..fault });
    FrontmatterOutcome::Map(rebased_map(found.into_iter().flatten().collect(), base))
}

/// In place of [`recover`] in a lean world: reports why the client cannot read the frontmatter as YAML.
pub(crate) fn report_unrecovered(
    dialect: &Dialect,
    sink: &mut DiagnosticSink<'_>,
    parts: &Parts,
    fault: Fault,
) -> FrontmatterOutcome {
    let code = fault.code;
    let client = (Severity::Error, "may read it all the same, which a lean world does not");
    report(dialect, sink, (fault.span, parts.yaml.start), client, (fault, None));
    FrontmatterOutcome::Lost(code)
}

/// Like [`report`]. If one corrected line would mend it, the finding is about that line.
fn report_mendable(
    dialect: &Dialect,
    sink: &mut DiagnosticSink<'_>,
    (text, base): (&str, usize),
    client: (Severity, &str),
    fault: Fault,
) {
    let shape = |key: &str| dialect.shape(key);
    let mends = repair::repair(text, &shape).filter(|_| fault.code == Code::Yaml).map(|meant| meant.mends);
    let mend = mends.and_then(|mut mends| mends.pop().filter(|_| mends.is_empty()));
    let span = mend.as_ref().map_or(fault.span, |mend| repair::mark(text, mend));
    let fix = mend.and_then(|mend| sink.fix(base + mend.line_start, base + mend.end, mend.with));
    report(dialect, sink, (span, base), client, (fault, fix));
}

/// Reports why a client cannot read a frontmatter as YAML, and what it does instead.
fn report(
    dialect: &Dialect,
    sink: &mut DiagnosticSink<'_>,
    (span, base): (Span, usize),
    (severity, instead): (Severity, &str),
    (fault, fix): (Fault, Option<Fix>),
) {
    let reason = fault.message.strip_prefix("not valid YAML: ").unwrap_or(&fault.message);
    let what = if fault.code == Code::Yaml { "the frontmatter is not valid YAML: " } else { "" };
    let message = format!("{what}{reason}; `{}` {instead}", dialect.name);
    let help = match fault.code {
        Code::NameMissing | Code::DescriptionMissing => "add the field, with its value on the same line",
        Code::WrongType => "write the value as text, in double quotes",
        _ => "write one `key: value` per line, with values in double quotes",
    };
    let finding = sink.at_span(moved_span(span, base), severity, fault.code, message);
    finding.advise(help);
    finding.fix = fix;
}

/// Makes the values those that the client would use. Returns why the file is not a skill, if it is not.
pub(crate) fn fit(dialect: &Dialect, map: &mut Pairs, sink: &mut DiagnosticSink<'_>) -> Option<Code> {
    let mut rejected = None;
    for (key, value) in &mut *map {
        let Value::Text(name) = &key.value else { continue };
        rejected = rejected.or(types::fit(dialect, name, value, sink));
        if let Some(role) = dialect.role_of(name).filter(|_| !name.contains('.')) {
            rejected = rejected.or(fit_value(dialect, name, role, value, sink));
        } else if let (Value::Map(inner), true) = (&mut value.value, dialect.has_nested_fields(name)) {
            for (key, value) in inner {
                let Value::Text(inner_name) = &key.value else { continue };
                let path = format!("{name}.{inner_name}");
                if let Some(role) = dialect.role_of(&path) {
                    rejected = rejected.or(fit_value(dialect, &path, role, value, sink));
                }
            }
        }
    }
    rejected.or_else(|| map.iter().find_map(|(key, value)| fit_standard(dialect, key, value, sink)))
}

/// Reports a field that breaks the Agent Skills specification, if that keeps the client from reading the file. What `name` and
/// `description` may be is said by other parts of the table.
fn fit_standard(dialect: &Dialect, key: &Node, value: &Node, sink: &mut DiagnosticSink<'_>) -> Option<Code> {
    let name = key.as_text().filter(|_| dialect.standard_fields != StandardFields::Any)?;
    let (client, is_string) = (&dialect.name, |node: &Node| types::is_string(&dialect.header, node));
    let expected = match name {
        "name" | "description" => return None,
        "license" | "allowed-tools" if is_string(value) => return None,
        "compatibility" if is_string(value) && value.as_text() != Some("") => return None,
        "license" => "text",
        _ if dialect.standard_fields == StandardFields::License => return None,
        "allowed-tools" | "compatibility" => "text",
        "metadata" => match &value.value {
            Value::Map(entries) if entries.iter().all(|(_, value)| is_string(value)) => return None,
            Value::Map(_) | Value::Text(_) | Value::List(_) | Value::Absent => "a mapping of texts",
        },
        _ if dialect.standard_fields == StandardFields::Only => {
            let message = format!(
                "the Agent Skills specification has no field `{}`, so `{client}` does not read the file",
                excerpt(name, 80)
            );
            let finding = sink.at_span(key.span, Severity::Error, Code::UnknownField, message);
            finding.advise("put it below `metadata`, or remove it");
            return Some(Code::UnknownField);
        }
        _ => return None,
    };
    let message = format!("`{name}` is {}, expected {expected}, so `{client}` does not read the file", shown(value));
    let finding = sink.at_span(value.span, Severity::Error, Code::WrongType, message);
    finding.advise("write each value as text, in double quotes");
    Some(Code::WrongType)
}

fn fit_value(
    dialect: &Dialect,
    name: &str,
    role: &FieldRole,
    node: &mut Node,
    sink: &mut DiagnosticSink<'_>,
) -> Option<Code> {
    let (client, header) = (&dialect.name, &dialect.header);
    let is_text = |node: &Node| {
        let is_tagged = node.as_text().is_some() && is_unknown_tag(node) && header.unknown_tags == Permitted::Yes;
        types::is_string(header, node) || is_tagged
    };
    let is_missing = header.empty_texts == Permitted::No && is_absent(node);
    if matches!(role, FieldRole::Name | FieldRole::Description) {
        rewrite_scalar(header.other_scalars, node);
    }
    let is_collection = matches!(node.value, Value::List(_) | Value::Map(_));
    match role {
        FieldRole::Pinned
        | FieldRole::NotForModel
        | FieldRole::ForModel
        | FieldRole::ForUser
        | FieldRole::Background
        | FieldRole::Sandbox
        | FieldRole::DefaultEnabled
            if header.other_flags != OtherFlags::Yes || header.invalid_flags == Permitted::No =>
        {
            let is_refused = header.invalid_flags == Permitted::No;
            let is_yaml = header.other_flags == OtherFlags::Yaml;
            let is_flag = match node.as_text().unwrap_or_default() {
                _ if header.other_flags == OtherFlags::Yes => flag(node).is_some(),
                "true" | "false" => !is_yaml || node.style == Style::Plain,
                "True" | "TRUE" | "False" | "FALSE" => is_yaml && node.style == Style::Plain,
                _ => false,
            };
            if !is_flag && is_refused {
                let message = format!(
                    "`{name}` is {}, expected `true` or `false` without quotes, so `{client}` does not read the file",
                    shown(node)
                );
                sink.at_span(node.span, Severity::Error, Code::WrongType, message)
                    .advise("write `true` or `false` without quotes");
                return Some(Code::WrongType);
            }
            if !is_flag && !is_absent(node) {
                let quotes = if is_yaml { " without quotes" } else { "" };
                let message = format!(
                    "`{name}` is {}, and `{client}` knows only `true` and `false`{quotes}, so it has no effect",
                    shown(node)
                );
                let help = format!("write `true` or `false`{quotes}");
                sink.at_span(node.span, Severity::Warning, Code::WrongType, message).advise(&help);
                node.value = Value::Absent;
            }
        }
        _ if is_collection
            && match header.invalid_yaml {
                InvalidYaml::Tolerant | InvalidYaml::Flat => dialect.shape(name) == Shape::Text,
                InvalidYaml::Empty => *role == FieldRole::Description,
                _ => false,
            } =>
        {
            let message = format!("`{name}` is {}, expected text, so `{client}` ignores it", shown(node));
            sink.at_span(node.span, Severity::Warning, Code::WrongType, message)
                .advise("write the value as text, in double quotes");
            node.value = Value::Absent;
        }
        FieldRole::Name | FieldRole::Description
            if header.other_scalars == OtherScalars::Absent && !is_text(node) && !is_absent(node) =>
        {
            let message = format!("`{name}` is {}, expected a string, so `{client}` ignores it", shown(node));
            sink.at_span(node.span, Severity::Warning, Code::WrongType, message)
                .advise("write the value as text, in double quotes");
            node.value = Value::Absent;
        }
        FieldRole::Name | FieldRole::Description
            if header.other_scalars == OtherScalars::No && !is_text(node) && !is_missing =>
        {
            let source = sink.slice(node.span).unwrap_or("").trim();
            let is_one_line = !source.is_empty() && !source.contains(['\n', '\r']);
            let fix = if is_one_line { quoted_fix(node, source, sink) } else { None };
            let message =
                format!("`{name}` is {}, expected a string, so `{client}` does not read the file", shown(node));
            let finding = sink.at_span(node.span, Severity::Error, Code::WrongType, message);
            finding.advise("write the value as text, in double quotes");
            finding.fix = fix;
            return Some(Code::WrongType);
        }
        // What is written as null is a text. In quotes, it is read as one.
        FieldRole::Name | FieldRole::Description
            if header.null_is_text == Permitted::Yes
                && is_absent(node)
                && matches!(&node.value, Value::Text(text) if !text.is_empty()) =>
        {
            node.style = Style::Double;
        }
        FieldRole::Description | FieldRole::WhenToUse if header.control_characters == ControlCharacters::Space => {
            if let Value::Text(text) = &mut node.value {
                if unhidden(text).1 {
                    report_hidden(name, Some(node.span), "replaced by spaces", sink);
                }
                *text = spaced(text);
            }
        }
        FieldRole::Description if header.markup == Markup::Removed => {
            if let Value::Text(text) = &mut node.value {
                *text = without_tags(text);
            }
        }
        FieldRole::Name | FieldRole::Description if header.whitespace != Whitespace::Keep => {
            if let Value::Text(text) = &mut node.value {
                *text = if header.whitespace == Whitespace::Fold {
                    fold(text).into_owned()
                } else {
                    text.trim().to_owned()
                };
            }
        }
        // YAML keeps line ends after a block scalar, as it does in quotes.
        FieldRole::Description if node.style.is_block_scalar() => node.style = Style::Double,
        _ => {}
    }
    None
}

/// Makes the value the text that a client makes of it: the shortest form of a number, the items of a list.
fn rewrite_scalar(rule: OtherScalars, node: &mut Node) {
    let text = match &node.value {
        Value::List(items) if rule == OtherScalars::Joined => {
            let items: Option<Vec<String>> = items.iter().map(shortest).collect();
            items.map(|items| items.join(","))
        }
        Value::Text(_) if matches!(rule, OtherScalars::Number | OtherScalars::Joined) && !is_absent(node) => {
            shortest(node).filter(|text| node.as_text() != Some(text))
        }
        Value::Text(_) | Value::List(_) | Value::Map(_) | Value::Absent => None,
    };
    if let Some(text) = text {
        node.value = Value::Text(text);
        node.style = Style::Double;
    }
}

/// The text of a scalar, of a number in its shortest form.
fn shortest(node: &Node) -> Option<String> {
    let text = node.as_text()?;
    let number = if is_string(node) { None } else { shortest_number(text) };
    Some(number.unwrap_or_else(|| text.to_owned()))
}

/// The text without its tags. An empty `<>` is not one.
pub(crate) fn without_tags(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        out.push_str(before);
        let Some((inside, behind)) = after.split_once('>') else {
            out.push('<');
            rest = after;
            break;
        };
        rest = if inside.is_empty() { after } else { behind };
        out.push_str(if inside.is_empty() { "<" } else { "" });
    }
    out.push_str(rest);
    out
}

/// A value, for messages: its text, or its type.
pub(super) fn shown(node: &Node) -> String {
    match &node.value {
        Value::Text(text) if text.is_empty() => "empty".to_owned(),
        Value::Text(text) => format!("`{}`", excerpt(text, 40)),
        Value::List(_) | Value::Map(_) | Value::Absent => type_name(&node.value).to_owned(),
    }
}

/// Whether a client finds this text, although it may be empty: one that asks for a string takes any string.
fn is_written(dialect: &Dialect, map: &Pairs, role: &FieldRole) -> bool {
    let (header, is_faithful) = (&dialect.header, dialect.reading == Reading::Faithful);
    let takes_empty = header.other_scalars == OtherScalars::No && header.empty_texts == Permitted::Yes;
    is_faithful && takes_empty && dialect.path_of(role).is_some_and(|field| value_at(map, field).is_some())
}

/// Makes the texts those of the skill system: characters of the name are replaced, and an empty name or description stays one if
/// the client takes it.
pub(super) fn adapt_texts(dialect: &Dialect, map: &Pairs, path: &FsPath, frontmatter: &mut Frontmatter) {
    if frontmatter.description.is_none() && is_written(dialect, map, &FieldRole::Description) {
        frontmatter.description = Some(String::new());
    }
    match &mut frontmatter.name {
        Some(name) if !dialect.name_dashes.is_empty() => *name = dashed(dialect, name),
        Some(_) => {}
        // The name of the folder is adapted, too.
        None if dialect.name_dashes.contains(' ') && path.folder().contains(' ') => {
            frontmatter.name = Some(dashed(dialect, path.folder()));
        }
        None => frontmatter.name = is_written(dialect, map, &FieldRole::Name).then(String::new),
    }
}

/// The name with the dialect's characters replaced by dashes. Of spaces, a run is one character, and none is at an end.
fn dashed(dialect: &Dialect, name: &str) -> String {
    let name = match dialect.name_dashes.contains(' ') {
        true => name.split(' ').filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" "),
        false => name.to_owned(),
    };
    name.replace(|c| dialect.name_dashes.contains(c), "-")
}

/// The parts of a text with frontmatter, as ranges of bytes.
pub(crate) struct Parts {
    yaml: Range<usize>,
    body: Range<usize>,
    /// Where the opening fence begins, if the frontmatter ends only with the text.
    unclosed: Option<usize>,
    /// Whether the text between the fences is the same if more text follows.
    is_certain: bool,
}

enum Missing {
    /// The file begins with a byte order mark.
    ByteOrderMark,
    /// There is no opening fence.
    Opening,
    /// There is no closing fence for the opening one at this byte.
    Closing(usize),
}

/// Splits a text at its fences, which are searched for in its `head`. `len` is the length of the whole.
fn split(header: &HeaderRule, head: &str, len: usize) -> Result<Parts, Missing> {
    let (fence, start) = opening(header, head).ok_or(Missing::Opening)?;
    match (closing(header, (head, len), start), header.unclosed) {
        (Some((end, body, is_certain)), _) => {
            Ok(Parts { yaml: start..end, body: body..len, unclosed: None, is_certain })
        }
        (None, Permitted::Yes) => {
            Ok(Parts { yaml: start..head.len(), body: len..len, unclosed: Some(fence), is_certain: false })
        }
        (None, Permitted::No) => Err(Missing::Closing(fence)),
    }
}

/// Where the opening fence begins, and where the YAML behind it does.
fn opening(header: &HeaderRule, text: &str) -> Option<(usize, usize)> {
    let fence = header.opening;
    let skips_blank_lines = header.blank_lines_before == Permitted::Yes;
    let mut start = 0;
    while start < text.len() {
        let (line, end) = line_at(text, start);
        let at = dashes(fence, line).map(|at| start + at);
        match (fence.before, at) {
            (Beside::Text | Beside::Dropped, Some(at)) => return Some((at, at + DASHES.len())),
            (Beside::Text | Beside::Dropped, None) => {}
            (_, Some(_)) => {
                let is_longer = is_text(fence.after) && line.trim_start().starts_with("----");
                return (!is_longer).then_some((start, end));
            }
            (_, None) if skips_blank_lines && line.trim().is_empty() => {}
            (_, None) => return None,
        }
        start = end;
    }
    None
}

/// Where the closing fence and the body begin, and whether more text would not change the former.
fn closing(header: &HeaderRule, (text, len): (&str, usize), opened: usize) -> Option<(usize, usize, bool)> {
    let (fence, last_line_feed) = (header.closing, header.last_line_feed == LastLineFeed::Yaml);
    let mut start = opened;
    while start < text.len() {
        let (line, end) = line_at(text, start);
        let Some(at) = dashes(fence, line) else {
            start = end;
            continue;
        };
        let behind = at + DASHES.len();
        let body = match fence.after {
            Beside::Text if behind < line.len() => start + behind,
            Beside::Dropped if behind < line.len() => len,
            _ => end,
        };
        let yaml_end = if is_text(fence.before) { start + at } else { start };
        let yaml_end = if last_line_feed { yaml_end } else { without_line_feed(text, yaml_end).max(opened) };
        // What follows may be a part of the line.
        return Some((yaml_end, body, is_text(fence.after) || text[start..end].ends_with('\n')));
    }
    None
}

/// Where a text that ends here ends without its last line feed.
fn without_line_feed(text: &str, end: usize) -> usize {
    let before = &text[..end];
    before.strip_suffix('\n').map_or(end, |before| before.strip_suffix('\r').unwrap_or(before).len())
}

/// The line that begins here, without its ending, and where the next one begins.
fn line_at(text: &str, start: usize) -> (&str, usize) {
    let end = line_end(text, start);
    let line = &text[start..end];
    let line = line.strip_suffix('\n').unwrap_or(line);
    (line.strip_suffix('\r').unwrap_or(line), end)
}

fn is_text(beside: Beside) -> bool {
    matches!(beside, Beside::Text | Beside::Dropped)
}

/// Where the dashes are in a line that is such a fence.
fn dashes(fence: Fence, line: &str) -> Option<usize> {
    let at = line.find(DASHES)?;
    let is_fine = |beside, text: &str| match beside {
        Beside::Nothing => text.is_empty(),
        Beside::Blanks => text.trim().is_empty(),
        Beside::Dashes => text.trim_start_matches('-').trim().is_empty(),
        Beside::Language => {
            let word = text.trim();
            word.is_empty() || word.eq_ignore_ascii_case("yaml") || word.eq_ignore_ascii_case("yml")
        }
        Beside::Text | Beside::Dropped => true,
    };
    (is_fine(fence.before, &line[..at]) && is_fine(fence.after, &line[at + DASHES.len()..])).then_some(at)
}

/// What a line must be like, for messages.
fn expected(fence: Fence) -> &'static str {
    match (fence.before, fence.after) {
        (Beside::Text | Beside::Dropped, _) => "contains `---`",
        (_, Beside::Text | Beside::Dropped) => "begins with `---`",
        (_, Beside::Language) => "is `---`, with nothing but blanks or `yaml` after it",
        (Beside::Nothing, Beside::Nothing) => "is exactly `---`",
        (Beside::Nothing, Beside::Blanks) => "is `---`, with nothing but blanks after it",
        (_, Beside::Dashes) => "consists of three dashes or more",
        (Beside::Blanks | Beside::Dashes | Beside::Language, _) => "is `---`, with nothing but blanks around it",
    }
}

/// Reports a frontmatter that a client does not find, and returns the code of the finding.
fn report_missing(dialect: &Dialect, missing: Missing, sink: &mut DiagnosticSink<'_>) -> Code {
    let (client, header) = (&dialect.name, &dialect.header);
    let text = sink.source.text();
    let first = if header.blank_lines_before == Permitted::Yes { "first line that is not blank" } else { "first line" };
    let rule = match is_text(header.opening.before) {
        true => format!("`{client}` reads frontmatter only after a `---`"),
        false => format!("`{client}` reads frontmatter only if the {first} {}", expected(header.opening)),
    };
    if let Missing::ByteOrderMark = missing {
        let message = format!("`{client}` reads no frontmatter in a file that begins with a byte order mark");
        sink.at_span(sink.rest_of_line(0), Severity::Error, Code::ByteOrderMark, message)
            .advise("save the file as UTF-8 without byte order mark");
        return Code::ByteOrderMark;
    }
    if let Missing::Closing(fence) = missing {
        let expected = expected(header.closing);
        let message =
            format!("the frontmatter that starts here is not closed: `{client}` expects a line that {expected}");
        report_unclosed(sink, fence, Severity::Error, message);
        return Code::FrontmatterUnclosed;
    }
    // Something that would be a fence elsewhere, or with other characters around it.
    let at = body_start(text);
    if !text[at..].trim_start().starts_with(DASHES) {
        front::report_missing(dialect, sink, &rule);
        return Code::FrontmatterMissing;
    }
    let are_blanks_fine = header.blank_lines_before == Permitted::Yes && text[..at].trim().is_empty();
    let (code, got, help, fix) = if at == 0 || are_blanks_fine {
        let line = sink.rest_of_line(at);
        let is_indented = text[line.start..line.end].trim() == DASHES;
        let fix = if is_indented { sink.fix(at, at, DASHES.into()) } else { None };
        let (help, fix) = front::help_for_field_behind(sink, at)
            .unwrap_or_else(|| ("write `---` as the first line, and nothing else there".into(), fix));
        (Code::FrontmatterFence, "another line", help, fix)
    } else {
        let mut fault = before(text, at);
        if let Some(comments) = fault.with.strip_prefix(DASHES).filter(|_| is_text(header.closing.before)) {
            fault.with = format!("{DASHES}{}", comments.replace(DASHES, "—"));
        }
        let fix = moving_fix(sink, fault);
        let help =
            "make `---` the first line of the file; what stands before it may become comments between the fields";
        (Code::FrontmatterNotFirst, "something before it", help.to_owned(), fix)
    };
    let span = sink.rest_of_line(at);
    let finding = sink.at_span(Span { start: at, ..span }, Severity::Error, code, format!("{rule}, got {got}"));
    set_help(finding, help, fix);
    code
}
