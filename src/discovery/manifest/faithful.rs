//! Reads a frontmatter as a client itself does, its faults included (rule 4.11): nothing is repaired that the client does
//! not repair, and nothing is read that it does not read. `fences` splits the document, this module reads the YAML, and
//! `values` takes out of the fields what the client does not take. The fields themselves are read as in all dialects.

mod fences;
mod values;

pub(crate) use fences::Parts;
pub(crate) use values::fit;
pub(super) use values::{adapt_name, is_written};

use super::fence::report_unclosed;
use super::front::{Front, FrontmatterOutcome, moved_span, rebased_map, report_control, report_notices};
use super::front::{take_repaired, type_name};
use super::limits::value_at;
use super::{DiagnosticSink, head};
use crate::diagnostic::{Code, Fix, Severity};
use crate::dialect::{Dialect, FieldRole, InvalidYaml, Permitted};
use crate::discovery::extras::Extras;
use crate::model::parsed::ParsedFrontmatter;
use crate::text::escape::visible;
use crate::text::repair::{self, Quoted};
use crate::text::yaml::{self, Node, Notice, NoticeKind, Span, Style, Value, is_string};

type Pairs = [(Node, Node)];

/// The pairs of a mapping, and the notices about them.
type Read = (Vec<(Node, Node)>, Vec<Notice>);

/// What keeps a client from reading a frontmatter as YAML.
pub(crate) struct Fault {
    code: Code,
    /// Where it is in the YAML.
    span: Span,
    message: String,
}

/// Splits a document and reads its frontmatter. `None` if `partial` says that the text is a prefix, and more is needed.
pub(super) fn front(extras: Extras, dialect: &Dialect, sink: &mut DiagnosticSink<'_>, partial: bool) -> Option<Front> {
    let (text, end) = (head(sink.source), sink.source.text().len());
    let parts = match fences::split(&dialect.header, text, end) {
        _ if sink.source.has_byte_order_mark() && dialect.header.byte_order_mark == Permitted::No => {
            Err(fences::Missing::ByteOrderMark)
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
            let outcome = FrontmatterOutcome::Missing(fences::report_missing(dialect, missing, sink));
            return Some(Front { outcome, body: 0..end });
        }
    };
    if let Some(fence) = parts.unclosed {
        let client = &dialect.name;
        let message =
            format!("the frontmatter is not closed, so `{client}` treats everything that follows as frontmatter");
        report_unclosed(sink, fence, Severity::Warning, message);
    }
    let yaml = &text[parts.yaml.clone()];
    let outcome = match read(dialect, yaml) {
        Ok((map, notices)) => {
            report_notices(sink, notices, parts.yaml.start);
            FrontmatterOutcome::Map(rebased_map(map, parts.yaml.start))
        }
        Err(fault) => match extras {
            Some(extras) => (extras.recover)(dialect, sink, &parts, fault),
            None => {
                let code = fault.code;
                let client = (Severity::Error, "may read it all the same, which a lean world does not");
                report(dialect, sink, (fault.span, parts.yaml.start), client, (fault, None));
                FrontmatterOutcome::Lost(code)
            }
        },
    };
    Some(Front { outcome, body: parts.body })
}

/// Whether the frontmatter that the client finds in a prefix of a text is that of the whole text.
pub(super) fn is_certain(dialect: &Dialect, text: &str) -> bool {
    fences::split(&dialect.header, text, text.len()).is_ok_and(|parts| parts.is_certain)
}

/// A frontmatter that all clients split and parse alike, as this client takes it; `None` if its values are not what the
/// client expects.
pub(super) fn parsed_front(dialect: &Dialect, parsed: &ParsedFrontmatter) -> Option<Front> {
    let end = parsed.text.len();
    let is_valid = fault_of(dialect, &parsed.map, &[]).is_none();
    let map = is_valid.then(|| rebased_map(parsed.map.clone(), ParsedFrontmatter::FENCE.len()))?;
    Some(Front { outcome: FrontmatterOutcome::Map(map), body: end..end })
}

/// The fields of valid YAML.
fn read(dialect: &Dialect, text: &str) -> Result<Read, Fault> {
    let fault = |span, message| Err(Fault { code: Code::Yaml, span, message });
    let document = match yaml::parse(text) {
        Ok(document) => document,
        Err(error) => return fault(Span { start: error.at, end: error.at }, error.message),
    };
    let map = match document.root {
        None => Vec::new(),
        Some(Node { value: Value::Map(map), .. }) => map,
        Some(other) => {
            return fault(other.span, format!("expected `key: value` lines, got {}", type_name(&other.value)));
        }
    };
    match fault_of(dialect, &map, &document.notices) {
        Some(fault) => Err(fault),
        None => Ok((map, document.notices)),
    }
}

/// Why a client takes a mapping for invalid.
fn fault_of(dialect: &Dialect, map: &Pairs, notices: &[Notice]) -> Option<Fault> {
    let header = &dialect.header;
    let duplicate = notices.iter().find_map(|notice| match &notice.what {
        NoticeKind::DuplicateKey { key, .. } if header.duplicate_keys == Permitted::No => Some((notice.span, key)),
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
        let message = format!("`{field}` is {}, expected {expected}", values::shown(value));
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
        let is_typed = header.other_scalars == Permitted::Yes;
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
    let is_unknown = |tag: &str| tag != "!" && yaml::own_tag(tag).is_none();
    map.iter().map(|(_, value)| value).find(|value| value.tag.as_deref().is_some_and(is_unknown))
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
    let quoted = match dialect.header.invalid_yaml {
        InvalidYaml::Skip => None,
        InvalidYaml::Empty => Some(Quoted::WithColon),
        InvalidYaml::Quote => Some(Quoted::Misread),
        // The client looks for a closing fence before it quotes anything.
        InvalidYaml::QuoteColons => Some(Quoted::WithColon).filter(|_| parts.unclosed.is_none()),
        InvalidYaml::Lines => return recover_lines(dialect, sink, (text, base), fault),
        InvalidYaml::Tolerant => {
            let meant = repair::by_line(text, &shape);
            if meant.mends.is_empty() {
                report_mendable(dialect, sink, (text, base), (Severity::Warning, "reads it line by line"), fault);
            }
            return take_repaired(sink, meant, base, "invalid YAML").0;
        }
    };
    let meant = quoted.and_then(|quoted| repair::quote(text, quoted));
    let meant = meant.filter(|meant| match &meant.root.value {
        Value::Map(map) => fault_of(dialect, map, &meant.notices).is_none(),
        Value::Text(_) | Value::List(_) | Value::Absent => false,
    });
    if let Some(meant) = meant {
        // Values may be put in quotes that are valid YAML.
        if meant.mends.is_empty() {
            report_mendable(dialect, sink, (text, base), (Severity::Warning, "reads it with values in quotes"), fault);
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
