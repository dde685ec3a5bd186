//! Tabs between the parts of a frontmatter: YAML 1.2 allows them there, and readers of YAML 1.1 refuse the whole file
//! (rule 5.11).

use super::DiagnosticSink;
use super::texts::quoted_fix;
use crate::diagnostic::{Code, Fix, Severity};
use crate::text::frontmatter::{Split, split};
use crate::text::lines::lines;
use crate::text::order::sort_by;
use crate::text::yaml::{Node, Span, Style, Value};

/// For how many lines of a file tabs are reported.
const MAX_LINES: usize = 100;

/// Reports each line on which a tab is outside of quotes, block scalars and comments.
pub(super) fn check_tabs(map: &[(Node, Node)], sink: &mut DiagnosticSink<'_>) {
    let text = sink.source.text();
    // The places of values in a text that was repaired are not exact.
    let is_exact = !sink.findings.iter().any(|finding| finding.code == Code::YamlRepaired);
    let Split::Found(parts) = split(text) else { return };
    let yaml = text.get(parts.yaml.clone()).filter(|yaml| is_exact && yaml.contains('\t')).unwrap_or_default();
    let mut scalars = Vec::new();
    map.iter().for_each(|(key, value)| add_scalars(key, value, &mut scalars));
    sort_by(&mut scalars, |a, b| a.span.start.cmp(&b.span.start));
    let found = lines(yaml).filter(|(_, line)| line.contains('\t'));
    let found = found.filter_map(|(start, line)| tabs_of(line, parts.yaml.start + start, &scalars));
    for Tabs { span, with, inside } in found.take(MAX_LINES) {
        let fix: Option<Fix> = match inside {
            Some(value) => sink.slice(value.span).and_then(|source| quoted_fix(value, source, sink)),
            None => sink.fix(span.start, span.start, with),
        };
        let message = "some YAML parsers reject the tab here, and with it the whole file".to_owned();
        let finding = sink.at_span(span, Severity::Warning, Code::YamlTab, message);
        finding.advise(match inside {
            Some(_) => "put the value in double quotes",
            None => "write a space instead of the tab",
        });
        finding.fix = fix;
    }
}

/// The tabs of one line.
struct Tabs<'m> {
    /// The first one that is refused.
    span: Span,
    /// The line with spaces in place of the tabs.
    with: String,
    /// The value without quotes that has a tab between its words.
    inside: Option<&'m Node>,
}

/// The tabs of a line that begins at a byte of the text; `None` if every reader takes all of them.
fn tabs_of<'m>(line: &str, start: usize, scalars: &[&'m Node]) -> Option<Tabs<'m>> {
    let (indent, end) = (line.len() - line.trim_start().len(), line.trim_end().len());
    let (mut first, mut inside, mut with) = (None, None, String::with_capacity(line.len()));
    let mut is_after_blank = true;
    for (at, c) in line.char_indices() {
        let scalar = scalar_at(scalars, start + at);
        if c == '#' && is_after_blank && scalar.is_none() {
            with.push_str(&line[at..]);
            break;
        }
        is_after_blank = matches!(c, ' ' | '\t');
        let is_refused = c == '\t' && scalar.is_none_or(|scalar| scalar.style == Style::Plain);
        with.push(if is_refused { ' ' } else { c });
        if is_refused {
            first = first.or(Some(start + at));
            inside = inside.or(scalar.filter(|_| (indent..end).contains(&at)));
        }
    }
    if with.trim().is_empty() || line.ends_with('\t') {
        with.truncate(with.trim_end_matches(' ').len());
    }
    first.map(|at| Tabs { span: Span { start: at, end: at + 1 }, with, inside })
}

/// The scalar at a byte of the text, of scalars in the order of the text.
pub(super) fn scalar_at<'m>(scalars: &[&'m Node], at: usize) -> Option<&'m Node> {
    let before = scalars.get(..scalars.partition_point(|scalar| scalar.span.start <= at))?;
    before.last().copied().filter(|scalar| at < scalar.span.end)
}

/// Adds the scalars of a pair. The depth is bounded by `yaml::MAX_DEPTH`.
pub(super) fn add_scalars<'m>(key: &'m Node, value: &'m Node, scalars: &mut Vec<&'m Node>) {
    add_scalar(key, scalars);
    add_scalar(value, scalars);
}

fn add_scalar<'m>(node: &'m Node, scalars: &mut Vec<&'m Node>) {
    match &node.value {
        Value::Text(_) => scalars.push(node),
        Value::Absent => {}
        Value::List(items) => items.iter().for_each(|item| add_scalar(item, scalars)),
        Value::Map(pairs) => pairs.iter().for_each(|(key, value)| add_scalars(key, value, scalars)),
    }
}
