//! What YAML 1.2 takes in a frontmatter and readers of YAML 1.1, such as PyYAML, refuse with the whole file: tags that
//! they do not know, values that look like a date or a number and are none, characters that may not stand in YAML (rule
//! 5.12), and tabs between the parts (rule 5.11). Also words that YAML takes for anchors.

use super::DiagnosticSink;
use super::fields::quoted_fix;
use crate::diagnostic::{Code, Fix, Severity};
use crate::dialect::Dialect;
use crate::text::escape::{is_line_end, quote_yaml, visible};
use crate::text::frontmatter::{Split, split};
use crate::text::lines::lines;
use crate::text::order::sort_by;
use crate::text::repair::Shape;
use crate::text::words::excerpt;
use crate::text::yaml::{self, Node, Span, Style, Value, Word, own_tag};
use crate::text::yaml11;
use crate::text::yaml11::is_printable;
use std::ptr;

const MAX_FOUND: usize = 100;

pub(super) fn check_refused(dialect: &Dialect, map: &[(Node, Node)], sink: &mut DiagnosticSink<'_>) {
    // The places of values in a text that was repaired are not exact.
    if sink.findings.iter().any(|finding| finding.code == Code::YamlRepaired) {
        return;
    }
    let mut found = Vec::new();
    for (key, value) in map {
        let before = found.len();
        add_pair(key, value, &mut found);
        // What is taken for text is to stay this text.
        if let (true, Some((_, why))) = (is_source_of_text(dialect, key, value), found.get(before)) {
            let (why, source) = (why.clone(), sink.slice(value.span).map(|source| quote_yaml(source.trim())));
            found.truncate(before);
            let span = with_tag(sink, value);
            let fix = source.and_then(|source| replacement(sink, span, &source));
            report(sink, span, why, fix, QUOTE_VALUE);
        }
    }
    for (node, why) in found.into_iter().take(MAX_FOUND) {
        let span = with_tag(sink, node);
        let (fix, help) = match &node.value {
            Value::Text(_) if is_left_out(node) => (empty_key(sink, node.span.start), "write `\"\"` before the colon"),
            // Its author meant such a word as a part of the text.
            Value::Text(_) if has_word(node) => {
                let source = sink.slice(span).filter(|source| !source.contains(['\n', '\r'])).map(quote_yaml);
                (source.and_then(|source| replacement(sink, span, &source)), QUOTE_VALUE)
            }
            Value::Text(text) => (replacement(sink, span, &in_quotes(dialect, map, node, text)), QUOTE_VALUE),
            Value::List(_) | Value::Map(_) | Value::Absent => {
                let tags = Span { start: span.start, end: node.span.start };
                (replacement(sink, tags, &without_tags(sink, tags)), "remove the tag")
            }
        };
        report(sink, span, why, fix, help);
    }
    check_anchors(sink);
    check_characters(dialect, map, sink);
    check_first_mark(sink);
}

/// Reports the words that YAML takes for anchors, to which no alias refers.
fn check_anchors(sink: &mut DiagnosticSink<'_>) {
    let Split::Found(parts) = split(sink.source.text()) else { return };
    let yaml = sink.source.text().get(parts.yaml.clone()).filter(|yaml| yaml.contains('&'));
    let words = yaml.and_then(|yaml| yaml::parse(yaml).ok()).map(|document| document.words).unwrap_or_default();
    for Word { span, value } in words.into_iter().filter(|word| word.value.starts_with('&')).take(MAX_FOUND) {
        let span = Span { start: parts.yaml.start + span.start, end: parts.yaml.start + span.end };
        let word = excerpt(value.split_whitespace().next().unwrap_or_default(), 40);
        let why = format!("YAML takes `{word}` for an anchor, which is no part of the value");
        let fix = replacement(sink, span, &quote_yaml(&value));
        report(sink, span, why, fix, QUOTE_VALUE);
    }
}

/// Reports a `...` before the first field, which ends a document that has no value.
fn check_first_mark(sink: &mut DiagnosticSink<'_>) {
    let Split::Found(parts) = split(sink.source.text()) else { return };
    let yaml = sink.source.text().get(parts.yaml.clone()).unwrap_or_default();
    let first = lines(yaml).find(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    if let Some((at, _)) = first.filter(|(_, line)| line.split_whitespace().next() == Some("...")) {
        let start = parts.yaml.start + at;
        let why = "some YAML parsers expect a field before `...`, and reject the file".to_owned();
        let fix = sink.fix_lines(start, start, String::new());
        report(sink, Span { start, end: start + 3 }, why, fix, "remove the line");
    }
}

/// Whether a scalar has a tag that YAML does not know.
fn has_word(scalar: &Node) -> bool {
    !scalar.style.is_block_scalar() && scalar.tag.as_deref().is_some_and(|tag| own_tag(tag).is_none())
}

/// Whether a value is a list or a map where text is expected, so that its source is the text (rule 6.4).
fn is_source_of_text(dialect: &Dialect, key: &Node, value: &Node) -> bool {
    let is_text = matches!(&key.value, Value::Text(key) if dialect.shape(key) == Shape::Text);
    is_text && matches!(value.value, Value::List(_) | Value::Map(_))
}

/// The text of a scalar in double quotes. In these the white space around a text counts (rule 6.2), so a text that was not in
/// quotes loses it: the newline at the end of a block scalar, and what YAML 1.2 does not take for white space.
fn in_quotes(dialect: &Dialect, map: &[(Node, Node)], scalar: &Node, text: &str) -> String {
    let is_bare = !scalar.style.is_quoted();
    let is_text = |key: &Node| matches!(&key.value, Value::Text(key) if dialect.shape(key) == Shape::Text);
    let is_trimmed = is_bare && map.iter().any(|(key, value)| ptr::eq(value, scalar) && is_text(key));
    quote_yaml(if is_trimmed { text.trim() } else { text })
}

const QUOTE_VALUE: &str = "put the value in double quotes";
const QUOTE_CHARACTER: &str = "put the value in double quotes, and the character as `\\u`";

fn report(sink: &mut DiagnosticSink<'_>, span: Span, why: String, fix: Option<Fix>, help: &str) {
    let finding = sink.at_span(span, Severity::Warning, Code::YamlRefused, why);
    finding.advise(help);
    finding.fix = fix;
}

/// Whether these readers refuse a scalar for what it says: a tag that does not fit it, or a date that is none.
#[cfg(feature = "author")]
pub(crate) fn is_refused(node: &Node) -> bool {
    reason(node).is_some()
}

/// Adds the nodes of a pair that are refused. The depth is bounded by `yaml::MAX_DEPTH`.
fn add_pair<'m>(key: &'m Node, value: &'m Node, found: &mut Vec<(&'m Node, String)>) {
    let is_map = |node: &Node| matches!(node.value, Value::Map(_));
    let is_merged = match &value.value {
        Value::List(items) => items.iter().all(is_map),
        _ => is_map(value) || matches!(value.value, Value::Absent),
    };
    if is_left_out(key) {
        found.push((key, "some YAML parsers expect a key before the colon, and reject the file".into()));
    } else if is_merge(key) && !is_merged {
        found.push((key, "some YAML parsers take the key `<<` for a mapping to merge, and reject the file".into()));
    } else if !is_merge(key) {
        add(key, found);
    }
    add(value, found);
}

fn add<'m>(node: &'m Node, found: &mut Vec<(&'m Node, String)>) {
    if let Some(why) = reason(node) {
        found.push((node, why));
    }
    let is_flow = node.style == Style::Flow;
    let is_marked = |node: &Node| matches!(&node.value, Value::Text(text) if text.contains('?') || text.starts_with([':', '|', '>']));
    let mut add_marked = |node: &'m Node| {
        if is_flow && node.style == Style::Plain && is_marked(node) {
            let why = "some YAML parsers take a part of the value for YAML syntax, and reject the whole file";
            found.push((node, why.into()));
        }
    };
    match &node.value {
        Value::Text(_) | Value::Absent => {}
        Value::List(items) => {
            items.iter().for_each(&mut add_marked);
            items.iter().for_each(|item| add(item, found));
        }
        Value::Map(pairs) => {
            pairs.iter().flat_map(|(key, value)| [key, value]).for_each(add_marked);
            pairs.iter().for_each(|(key, value)| add_pair(key, value, found));
        }
    }
}

pub(crate) fn is_left_out(key: &Node) -> bool {
    key.style == Style::Plain && matches!(&key.value, Value::Text(text) if text.is_empty())
}

/// The fix that writes an empty key on the line of this byte, if it begins with a colon.
pub(super) fn empty_key(sink: &DiagnosticSink<'_>, at: usize) -> Option<Fix> {
    let (before, after) = sink.source.text().split_at_checked(at)?;
    let line_start = before.rfind('\n').map_or(0, |found| found + 1);
    let line = format!("{}{}", &before[line_start..], after.split(['\n', '\r']).next()?);
    let inked = line.trim_start_matches(' ');
    let with = format!("{}\"\"{inked}", &line[..line.len() - inked.len()]);
    if inked.starts_with(':') { sink.fix(at, at, with) } else { None }
}

pub(super) fn is_merge(key: &Node) -> bool {
    key.style == Style::Plain && key.tag.is_none() && matches!(&key.value, Value::Text(text) if text == "<<")
}

/// Why a node is refused, apart from what is in it.
fn reason(node: &Node) -> Option<String> {
    if !yaml11::fits_tag(node) {
        let tag = node.tag.as_deref().unwrap_or_default();
        let tag = tag.strip_prefix("tag:yaml.org,2002:").map_or_else(|| tag.to_owned(), |own| format!("!!{own}"));
        return Some(format!("some YAML parsers reject the tag `{}` here, and with it the whole file", visible(&tag)));
    }
    let Value::Text(text) = &node.value else { return None };
    let is_plain = node.style == Style::Plain && node.tag.is_none();
    let why = if is_plain { yaml11::fault(text) } else { None }?;
    Some(format!("some YAML parsers take `{}` for {why}, and reject the whole file", excerpt(text, 40)))
}

/// A node with its tag, and with an anchor beside it: the words before it that begin with `!` or `&`.
fn with_tag(sink: &DiagnosticSink<'_>, node: &Node) -> Span {
    let mut start = node.span.start;
    while let Some(before) = sink.source.text().get(..start).map(str::trim_end).filter(|_| node.tag.is_some()) {
        let word = before.rfind([' ', '\t', '\n', '[', '{', ',']).map_or(0, |found| found + 1);
        if !before[word..].starts_with(['!', '&']) {
            break;
        }
        start = word;
    }
    Span { start, ..node.span }
}

fn without_tags(sink: &DiagnosticSink<'_>, span: Span) -> String {
    let words = sink.slice(span).unwrap_or_default();
    words.split_inclusive([' ', '\t', '\n']).filter(|word| !word.starts_with('!')).collect()
}

/// The fix that writes something in place of a part of the text, and leaves the rest of its lines as it is.
fn replacement(sink: &DiagnosticSink<'_>, span: Span, with: &str) -> Option<Fix> {
    let text = sink.source.text();
    let source = sink.slice(span)?;
    // A block scalar ends with its last line.
    let end = span.start + source.trim_end_matches(['\n', '\r']).len();
    let before = text.get(..span.start)?.rsplit('\n').next()?;
    let after = text.get(end..)?.split('\n').next()?;
    sink.fix_lines(span.start, end.max(span.start), format!("{before}{with}{}", after.trim_end_matches('\r')))
}

/// Reports the characters that may not stand in YAML, and those that end a line in YAML 1.1 alone.
fn check_characters(dialect: &Dialect, map: &[(Node, Node)], sink: &mut DiagnosticSink<'_>) {
    let text = sink.source.text();
    let Split::Found(parts) = split(text) else { return };
    let is_odd = |c: char| !is_printable(c) || is_line_end(c);
    let yaml = text.get(parts.yaml.clone()).filter(|yaml| !yaml.is_ascii() || yaml.contains('\u{7f}'));
    let mut scalars = Vec::new();
    map.iter().for_each(|(key, value)| add_scalars(key, value, &mut scalars));
    sort_by(&mut scalars, |a, b| a.span.start.cmp(&b.span.start));
    for (start, line) in lines(yaml.unwrap_or_default()).filter(|(_, line)| line.contains(is_odd)).take(MAX_FOUND) {
        let start = parts.yaml.start + start;
        let is_in_quotes = |at: usize| scalar_at(&scalars, start + at).is_some_and(|scalar| scalar.style.is_quoted());
        let Some((at, odd)) = line.char_indices().find(|(at, c)| !is_printable(*c) || is_odd(*c) && !is_in_quotes(*at))
        else {
            continue;
        };
        let is_here = |value: &Node| (value.span.start..value.span.end).contains(&(start + at));
        let text = map.iter().find(|(key, value)| is_here(value) && is_source_of_text(dialect, key, value));
        let (fix, help) = match (text, scalar_at(&scalars, start + at)) {
            (Some((_, value)), _) => {
                let source = quote_yaml(sink.slice(value.span).unwrap_or_default().trim());
                (replacement(sink, with_tag(sink, value), &source), QUOTE_CHARACTER)
            }
            (None, Some(scalar @ Node { value: Value::Text(value), span, .. })) => {
                (replacement(sink, *span, &in_quotes(dialect, map, scalar, value)), QUOTE_CHARACTER)
            }
            _ => (sink.fix(start, start, line.replace(is_odd, " ")), "remove the character"),
        };
        let message = format!("some YAML parsers reject the character U+{:04X}, and with it the file", u32::from(odd));
        let span = Span { start: start + at, end: start + at + odd.len_utf8() };
        report(sink, span, message, fix, help);
    }
}

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
fn scalar_at<'m>(scalars: &[&'m Node], at: usize) -> Option<&'m Node> {
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
