//! In: a document without frontmatter, or with one that is not closed. Out: the finding, with what stands in a fence's
//! place and how to mend it.
//! Also what is wrong round a frontmatter that was found all the same.
//! Absent: taking anything but a fence for one (decisions 2).

use super::DiagnosticSink;
use crate::diagnostic::{Code, Diagnostic, Fix, Severity};
use crate::dialect::{Dialect, Necessity};
use crate::text::frontmatter::{Fault, Wrong, body_start};
use crate::text::words::excerpt;
use crate::text::yaml::Span;

/// How many lines are looked at.
const MAX_LINES: usize = 2_000;

/// What to do, and the line to write where one line mends it.
type Mend = (String, Option<Fix>);

/// There is no opening fence.
pub(super) fn missing(dialect: &Dialect, sink: &mut DiagnosticSink<'_>) {
    let text = sink.source.text();
    let (help, fix) = in_place_of_opening(sink).unwrap_or_else(|| (begin(dialect), None));
    let message = if has_bare_returns(text) {
        "expected `---` on the first line, got a file of one line: its lines end in carriage returns without line \
             feeds"
    } else {
        "expected `---` on the first line"
    };
    // Without line ends that we know, the line is the whole text.
    let line = if has_bare_returns(text) { Span { start: 0, end: 0 } } else { sink.line(0) };
    mended(sink.over(line, Severity::Error, Code::FrontmatterMissing, message.into()), help, fix);
}

/// How to write a frontmatter, with the fields that the dialect asks for.
fn begin(dialect: &Dialect) -> String {
    let asked = dialect.fields.iter().filter(|field| field.need != Necessity::Optional);
    let asked: Vec<String> = asked.map(|field| format!("`{}`", field.path)).collect();
    match asked.as_slice() {
        [] => "no field is required; to add some, such as `description`, put them first, between two `---` lines"
            .to_owned(),
        [one] => format!("start the file with `---`, the field {one}, and `---`"),
        several => format!("start the file with `---`, the fields {}, and `---`", several.join(" and ")),
    }
}

/// The fence that begins at this byte is never closed.
pub(super) fn unclosed(sink: &mut DiagnosticSink<'_>, fence: usize) {
    let (help, fix) =
        in_place_of_closing(sink, fence).unwrap_or_else(|| ("add a `---` line after the last field".into(), None));
    let message = "the frontmatter that starts here is not closed: expected a `---` line";
    mended(sink.over(sink.line(fence), Severity::Error, Code::FrontmatterUnclosed, message.into()), help, fix);
}

/// Of more text before a frontmatter, none is given again.
const MAX_BEFORE: usize = 4_096;

/// A frontmatter that does not begin the file as it should.
pub(super) fn odd(sink: &mut DiagnosticSink<'_>, fault: Fault) {
    let Fault { what, at, lines: (from, to), mut with } = fault;
    let (code, message, help) = match what {
        Wrong::Before => (
            Code::FrontmatterNotFirst,
            "text before the frontmatter: most clients expect `---` on the first line",
            "move it below the frontmatter, or turn it into comments between the fields",
        ),
        Wrong::NoOpening => (
            Code::FrontmatterFence,
            "missing `---` before the first field; read as if it were there",
            "add a `---` line before the fields",
        ),
        Wrong::CodeOpening => (
            Code::FrontmatterFence,
            "expected `---`, got a code fence; read as `---`",
            "remove the code fence and start the file with `---`",
        ),
        Wrong::CodeClosing => (
            Code::FrontmatterFence,
            "expected `---` to close the frontmatter, got a code fence; read as `---`",
            "remove the code fence and put `---` after the fields",
        ),
        Wrong::CodeEnd => (
            Code::FrontmatterFence,
            "the code fence around the frontmatter ends here; the line is ignored",
            "remove the line",
        ),
    };
    let mut last = 0;
    // A mended field on the line that is written again stays mended.
    if what == Wrong::NoOpening {
        let line = sink.source.position(at).line;
        let mended = sink.found.iter().find_map(|found| found.fix.as_ref().filter(|fix| fix.line == line));
        if let (Some(fix), Some((before, _))) = (mended, with.rsplit_once('\n')) {
            (with, last) = (format!("{before}\n{}", fix.with), fix.last);
        }
    }
    let fix = if with.len() <= MAX_BEFORE { sink.fix_lines(from, to, with) } else { None };
    let fix = fix.map(|fix| Fix { last: fix.last.max(last), ..fix });
    mended(sink.over(sink.line(at), Severity::Warning, code, message.into()), help.into(), fix);
}

fn mended(finding: &mut Diagnostic, help: String, fix: Option<Fix>) {
    finding.help = Some(help);
    finding.fix = fix;
}

fn in_place_of_opening(sink: &DiagnosticSink<'_>) -> Option<Mend> {
    let text = sink.source.text();
    if has_bare_returns(text) {
        return Some(("save the file with line feeds as line endings".into(), None));
    }
    if is_link_stub(text) {
        let help = "this looks like a symbolic link that was stored as text; replace it with the file itself or a real \
                 link";
        return Some((help.into(), None));
    }
    let start = body_start(text);
    let mut lines = lines(text, start).filter(|(_, line)| !line.trim().is_empty());
    let (at, first) = lines.next()?;
    let next = lines.next().map_or("", |(_, line)| line);
    if first.trim() == "+++" {
        let help = "write the fields as YAML, one `key: value` per line, between two `---` lines";
        return Some((help.into(), None));
    }
    if first.starts_with('{') {
        return Some(("add a `---` line before the `{` and one after its `}`".into(), None));
    }
    if is_field(first) {
        return Some(("add a `---` line before the fields and one after them".into(), None));
    }
    if first.starts_with("```") && (next.trim_end() == "---" || is_field(next)) {
        return Some(("remove the code fence and put the frontmatter between two `---` lines".into(), None));
    }
    if (is_like_fence(first) || has_word(first)) && is_field(next) {
        let number = sink.source.position(at).line;
        let help = alone(number, first);
        return Some((help, sink.fix(at, at, "---".into())));
    }
    let pairs = self::lines(text, start).zip(self::lines(text, start).skip(1));
    let ((fence, _), _) =
        pairs.into_iter().find(|((_, line), (_, next))| line.trim_end() == "---" && is_field(next))?;
    let number = sink.source.position(fence).line;
    Some((format!("the frontmatter starts on line {number}: move the text before it to below its end"), None))
}

fn in_place_of_closing(sink: &DiagnosticSink<'_>, fence: usize) -> Option<Mend> {
    let number = |at| sink.source.position(at).line;
    let mut has_field = false;
    let mut in_code = false;
    let mut blank = None;
    // Where the text begins, and the blank line before it.
    let mut begun: Option<(usize, Option<usize>)> = None;
    for (at, line) in lines(sink.source.text(), fence).skip(1) {
        let inked = line.trim_end();
        in_code ^= begun.is_some() && inked.starts_with("```");
        if is_field(line) && !in_code {
            (has_field, begun) = (true, None);
            if inked.ends_with("---") {
                return Some((format!("move the `---` at the end of line {} to a line of its own", number(at)), None));
            }
        } else if has_field && begun.is_none() {
            if inked == "..." || is_like_fence(line) || inked.starts_with("```") {
                return Some((alone(number(at), line), sink.fix(at, at, "---".into())));
            }
            if line.starts_with("---") {
                return Some((
                    format!("move the `---` at the start of line {} to a line of its own", number(at)),
                    None,
                ));
            }
            let is_text = !line.starts_with(|c: char| c.is_whitespace() || "-]}\"'".contains(c)) && !is_key(line);
            begun = (is_text && !inked.is_empty()).then_some((at, blank));
        }
        blank = inked.is_empty().then_some(at);
    }
    let (at, blank) = begun?;
    let fix = blank.and_then(|blank| sink.fix(blank, blank, "---".into()));
    Some((format!("add a `---` line before line {}, where the text starts", number(at)), fix))
}

/// The lines from a byte on, with their first bytes.
fn lines(text: &str, start: usize) -> impl Iterator<Item = (usize, &str)> {
    let rest = text.get(start..).unwrap_or_default();
    crate::text::lines::lines(rest).take(MAX_LINES).map(move |(at, line)| (start + at, line.trim_end_matches('\r')))
}

/// A line that begins one of the two fields that nearly every skill has.
fn is_field(line: &str) -> bool {
    let rest = ["name", "description"].iter().find_map(|name| line.trim_start().strip_prefix(name));
    rest.is_some_and(|rest| rest.trim_start().starts_with([':', '\u{ff1a}']))
}

/// A line that may be a field of any name.
fn is_key(line: &str) -> bool {
    let key = line.split_once(':').map_or("", |(key, _)| key);
    !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || "_-.\"'".contains(c))
}

/// Three dashes and a word or a comment.
fn has_word(line: &str) -> bool {
    line.strip_prefix("---").is_some_and(|word| word.trim_start_matches([' ', '#']).len() < 12)
}

/// A line that was meant for a fence and is none: of dashes or another mark, with white space, invisible characters or a
/// backslash.
fn is_like_fence(line: &str) -> bool {
    let inked =
        line.trim_matches(|c: char| c.is_whitespace() || "\\\u{200b}\u{200c}\u{200d}\u{2060}\u{feff}".contains(c));
    let dashes =
        inked.trim_start_matches(|c: char| "-\u{2010}\u{2011}\u{2012}\u{2013}\u{2014}\u{2015}\u{2212}".contains(c));
    let is_mark = |mark: char| inked.chars().count() > 2 && inked.chars().all(|c| c == mark);
    (!inked.is_empty() && dashes.is_empty()) || ['*', '=', '_', '~', '+'].into_iter().any(is_mark)
}

/// Whether a text is nothing but the path of a SKILL.md: what a checkout without links makes of a link.
fn is_link_stub(text: &str) -> bool {
    let path = text.trim();
    path.contains('/') && path.ends_with(".md") && !path.contains(['\n', '\r', ' '])
}

fn has_bare_returns(text: &str) -> bool {
    text.trim_end().contains('\r') && !text.contains('\n')
}

fn alone(number: usize, line: &str) -> String {
    format!("line {number} is `{}`: write only `---` there, without indentation", excerpt(line, 40))
}
