//! Checks what was read against the limits and forms of a dialect. This only adds findings: no value is changed and no
//! skill is rejected (rule 6.12), unless the dialect reads as its client does and that cuts or skips what is too long.
//! Broken rules of the system's own document are errors. Some things only `check` reports, as no client refuses a skill
//! for them and only the author can mend them: values outside a closed set, fields that are empty or have no effect,
//! lists of tools that no client can read, and descriptions and bodies that are still to be written (rules 6.22 and
//! 6.23).

use super::fields::is_absent;
use super::refused::{check_refused, check_tabs};
use super::{DiagnosticSink, ReadMode, is_single_file, location_name};
use crate::diagnostic::{Code, Severity};
use crate::dialect::{Dialect, FieldRole, Limit, NameForm, Necessity, OverLimit, Permitted, Reading, ToolsRule};
use crate::model::skill::Frontmatter;
use crate::text::budget::PER_TOKEN;
use crate::text::escape::{has_pair, hides, unhidden, visible};
use crate::text::lines::lines;
use crate::text::lower::small;
use crate::text::pattern::{MAX_OF_SKILL, Pattern, PatternError};
use crate::text::words::{excerpt, nearest, split_commas};
use crate::text::yaml::{Node, Span, Value};
use std::ops::Range;

type Pairs = [(Node, Node)];

/// How many lines a body should have at most (rule 6.13).
const BODY_LINES: usize = 500;

/// How many tokens a body should have at most (rule 6.13).
const BODY_TOKENS: usize = 5_000;

/// How many bytes the patterns of one skill that `check` compiles may take: twice what 64 patterns with a class of all
/// letters need. Compiling them takes a twentieth of a second at worst.
const CHECKED_BYTES: usize = 4 << 20;

/// How many characters a name has at most (rule 6.13).
#[cfg(feature = "digest")]
const NAME_CHARS: usize = 64;

/// Checks the limits and forms of the fields. If the dialect reads as the client does, texts that are too long are cut, or
/// set `rejected`, as the client does it.
pub(super) fn check_frontmatter(
    dialect: &Dialect,
    map: &Pairs,
    frontmatter: &mut Frontmatter,
    mode: ReadMode,
    sink: &mut DiagnosticSink<'_>,
    rejected: &mut Option<Code>,
) {
    let span = |field: &str| value_at(map, field).map(|value| value.span);
    for limit in dialect.limits.iter() {
        let text = match limit.role {
            FieldRole::Name => frontmatter.name.as_mut(),
            FieldRole::Description => frontmatter.description.as_mut(),
            FieldRole::Compatibility => frontmatter.needs.as_mut().and_then(|needs| needs.compatibility.as_mut()),
            FieldRole::Brief => frontmatter.triggers.as_mut().and_then(|triggers| triggers.brief.as_mut()),
            _ => continue,
        };
        // No text has more characters than bytes.
        let Some(text) = text.filter(|text| limit.max_chars < text.len()) else { continue };
        let Some(field) = dialect.path_of(&limit.role) else { continue };
        let (over, instead) = over(dialect, limit);
        let size = |c: char| if matches!(over, OverLimit::Cut | OverLimit::SkipUnits) { c.len_utf16() } else { 1 };
        let chars: usize = text.chars().map(size).sum();
        if limit.max_chars < chars {
            let message = format!("`{field}` has {chars} characters, expected at most {}{instead}", limit.max_chars);
            let limit_severity = match (over, &limit.role) {
                (OverLimit::Skip | OverLimit::SkipUnits, _) => Severity::Error,
                // A longer text is cut when it is shown, and no document forbids it (rule 6.17).
                (OverLimit::Keep | OverLimit::Cut, FieldRole::Brief) => Severity::Warning,
                (OverLimit::Keep | OverLimit::Cut, _) => dialect.severity(Code::TooLong),
            };
            sink.at_span_or_file(span(field), limit_severity, Code::TooLong, message).advise("shorten it");
            match over {
                OverLimit::Keep => {}
                OverLimit::Cut => {
                    let mut left = limit.max_chars;
                    let end = text.char_indices().find(|(_, c)| match left.checked_sub(size(*c)) {
                        Some(rest) => {
                            left = rest;
                            false
                        }
                        None => true,
                    });
                    text.truncate(end.map_or(text.len(), |(at, _)| at));
                }
                OverLimit::Skip | OverLimit::SkipUnits => *rejected = Some(Code::TooLong),
            }
        }
    }
    if let Some(name) = &frontmatter.name {
        check_name(dialect, name, map, mode, sink, rejected);
    } else if dialect.fields.iter().any(|field| field.role == FieldRole::Name && field.necessity == Necessity::Optional)
    {
        check_folder_name(dialect, mode, sink, rejected);
    }
    let is_semantic = dialect.has_rule(Code::VersionInvalid);
    let version = frontmatter.version.as_ref().filter(|version| is_semantic && !is_semver(version));
    if let (Some(version), Some(field)) = (version, dialect.path_of(&FieldRole::Version)) {
        let message = format!("`{field}` is `{}`, expected a semantic version as in `1.0.0`", excerpt(version, 40));
        let severity = dialect.severity(Code::VersionInvalid);
        sink.at_span_or_file(span(field), severity, Code::VersionInvalid, message)
            .advise("write three numbers with dots between them");
    }
    check_patterns(dialect, map, mode, sink);
    if frontmatter.not_for_model && frontmatter.not_for_user {
        let message = "the skill is hidden from the model and from the user, so nobody can call it";
        sink.for_file(Severity::Warning, Code::Unreachable, message).advise("remove one of the two fields");
    }
    if matches!(mode, ReadMode::Check | ReadMode::Strict) {
        check_read(dialect, map, frontmatter, sink);
    }
}

/// Checks the patterns of the triggers (rule 10.5): discovery checks their syntax, `check` their compiled size too.
fn check_patterns(dialect: &Dialect, map: &Pairs, mode: ReadMode, sink: &mut DiagnosticSink<'_>) {
    let Some(field) = dialect.path_of(&FieldRole::Patterns) else { return };
    let Some(node) = value_at(map, field) else { return };
    let items = match &node.value {
        Value::List(items) => items.as_slice(),
        Value::Text(_) | Value::Map(_) | Value::Absent => std::slice::from_ref(node),
    };
    let mut bytes_left = Some(CHECKED_BYTES);
    for (n, item) in items.iter().filter(|item| !is_absent(item)).enumerate() {
        if n == MAX_OF_SKILL {
            let message = format!("more than {MAX_OF_SKILL} patterns; this one and those after it are ignored");
            sink.at_span(item.span, dialect.severity(Code::TooManyPatterns), Code::TooManyPatterns, message)
                .advise("combine patterns with `|`, or use keywords instead");
            break;
        }
        let Value::Text(written) = &item.value else { continue };
        if let (ReadMode::Check | ReadMode::Strict, Some(bytes)) = (mode, bytes_left) {
            bytes_left = bytes.checked_sub(Pattern::bytes(written.trim()));
            if bytes_left.is_none() {
                let message =
                    "the patterns are too large in total; from this one on only their syntax is checked".to_owned();
                sink.at_span(item.span, dialect.severity(Code::TooManyPatterns), Code::TooManyPatterns, message)
                    .advise("use fewer repetitions and classes, or keywords instead");
            }
        }
        let checked = match mode {
            ReadMode::Check | ReadMode::Strict if bytes_left.is_some() => Pattern::new(written.trim()).map(|_| ()),
            ReadMode::Discovery | ReadMode::Load | ReadMode::Check | ReadMode::Strict => Pattern::judge(written.trim()),
        };
        let shown = excerpt(written.trim(), 60);
        let (code, message, help) = match checked {
            Ok(()) => continue,
            Err(PatternError::Invalid(reason) | PatternError::Unknown(reason)) => (
                Code::PatternInvalid,
                format!("the pattern `{shown}` is ignored: {}", excerpt(&reason, 200)),
                match reason.contains("not supported") {
                    true => "write it without look-around and back-references",
                    false => "correct the regular expression",
                },
            ),
            Err(PatternError::TooLarge | PatternError::OverLimit) => (
                Code::PatternInvalid,
                format!("the pattern `{shown}` is ignored: it is too large when compiled"),
                "write fewer repetitions",
            ),
            Err(PatternError::Unsupported) => (
                Code::PatternUnsupported,
                format!("the pattern `{shown}` is ignored: this build does not support regular expressions"),
                "use keywords instead, or build with the feature `patterns`",
            ),
        };
        sink.at_span(item.span, dialect.severity(code), code, message).advise(help);
    }
}

fn value_of<'m>(map: &'m [(Node, Node)], name: &str) -> Option<&'m Node> {
    map.iter().find(|(key, _)| key.as_text() == Some(name)).map(|(_, value)| value)
}

/// The value at a path of at most two names.
pub(super) fn value_at<'m>(map: &'m [(Node, Node)], path: &str) -> Option<&'m Node> {
    match path.split_once('.') {
        None => value_of(map, path),
        Some((outer, inner)) => match &value_of(map, outer)?.value {
            Value::Map(map) => value_of(map, inner),
            Value::Text(_) | Value::List(_) | Value::Absent => None,
        },
    }
}

/// Checks a name against the form of the dialect, and against the name of the folder.
fn check_name(
    dialect: &Dialect,
    name: &str,
    map: &Pairs,
    mode: ReadMode,
    sink: &mut DiagnosticSink<'_>,
    rejected: &mut Option<Code>,
) {
    let Some(field) = dialect.path_of(&FieldRole::Name) else { return };
    let span = value_at(map, field).map(|value| value.span);
    if unhidden(name).1 {
        let message =
            format!("`{field}` contains invisible or control characters, which are removed where it is shown");
        sink.at_span_or_file(span, Severity::Warning, Code::HiddenCharacters, message)
            .advise("delete them: a reader does not see them");
    }
    let form = match dialect.name_form {
        Some(NameForm::AsciiHyphen) => "letters, digits and hyphens",
        Some(NameForm::AsciiDotted) => "letters and digits of ASCII, and `-`, `_`, `.` and `:` between them",
        Some(NameForm::Dotted) => "letters, digits, `-`, `_`, `.` and `:`",
        Some(NameForm::NoSlash) => "no `/`",
        Some(NameForm::LowerHyphen | NameForm::LowerAsciiHyphen | NameForm::LowerAsciiWords) | None => {
            "lower-case letters, digits and single hyphens between them"
        }
    };
    if let Some(fault) = form_fault(dialect, name, mode) {
        let (is_rejected, instead) = rejects(dialect, dialect.other_names);
        let message = format!("the name `{}` {fault}{instead}", excerpt(name, 80));
        let severity = if is_rejected { Severity::Error } else { dialect.severity(Code::NameInvalid) };
        sink.at_span_or_file(span, severity, Code::NameInvalid, message).advise(&format!("write the name with {form}"));
        if is_rejected {
            *rejected = Some(Code::NameInvalid);
        }
    }
    let folder = location_name(sink.path);
    let (is_rejected, instead) = rejects(dialect, dialect.other_folders);
    let is_in_folder = !is_single_file(sink.path);
    if is_in_folder && (is_rejected || dialect.has_rule(Code::NameMismatch)) && name != folder {
        let (name, folder) = (excerpt(name, 80), visible(folder));
        let message = format!("the name `{name}` does not match the folder name `{folder}`{instead}");
        let severity = if is_rejected { Severity::Error } else { dialect.severity(Code::NameMismatch) };
        sink.at_span_or_file(span, severity, Code::NameMismatch, message)
            .advise(&format!("make the folder name and `{field}` match"));
        if is_rejected {
            *rejected = Some(Code::NameMismatch);
        }
    }
}

/// Whether what is or is not permitted keeps the client from reading a file with it, and what a message says about it.
fn rejects(dialect: &Dialect, permitted: Permitted) -> (bool, String) {
    let is_rejected = dialect.reading == Reading::Faithful && permitted == Permitted::No;
    let instead = if is_rejected { format!(", so `{}` does not read the file", dialect.name) } else { String::new() };
    (is_rejected, instead)
}

/// Checks the name of a folder that is used as the name of the skill, as the field for the name is optional.
fn check_folder_name(dialect: &Dialect, mode: ReadMode, sink: &mut DiagnosticSink<'_>, rejected: &mut Option<Code>) {
    let Some(field) = dialect.path_of(&FieldRole::Name) else { return };
    let folder = sink.path.folder();
    if let Some(fault) = form_fault(dialect, folder, mode) {
        let (is_rejected, instead) = rejects(dialect, dialect.other_names);
        let message =
            format!("the folder name `{}`, which is used as the skill's name, {fault}{instead}", excerpt(folder, 80));
        let severity = if is_rejected { Severity::Error } else { dialect.severity(Code::NameInvalid) };
        sink.for_file(severity, Code::NameInvalid, &message)
            .advise(&format!("rename the folder, or add a `{field}` field"));
        if is_rejected {
            *rejected = Some(Code::NameInvalid);
        }
    }
    let chars = folder.chars().count();
    for limit in dialect.limits.iter().filter(|limit| limit.role == FieldRole::Name && limit.max_chars < chars) {
        let (over, instead) = over(dialect, limit);
        let message = format!(
            "the folder name, which is used as the skill's name, has {chars} characters, expected at most {}{instead}",
            limit.max_chars
        );
        let severity = match over {
            OverLimit::Skip | OverLimit::SkipUnits => Severity::Error,
            OverLimit::Keep | OverLimit::Cut => dialect.severity(Code::TooLong),
        };
        sink.for_file(severity, Code::TooLong, &message)
            .advise(&format!("rename the folder, or add a `{field}` field"));
        if matches!(over, OverLimit::Skip | OverLimit::SkipUnits) {
            *rejected = Some(Code::TooLong);
        }
    }
}

/// What is done with a text that is longer than this limit, and what a message says about it.
fn over(dialect: &Dialect, limit: &Limit) -> (OverLimit, String) {
    let over = if dialect.reading == Reading::Faithful { limit.over } else { OverLimit::Keep };
    let client = &dialect.name;
    let instead = match over {
        OverLimit::Keep => String::new(),
        OverLimit::Cut => format!("; `{client}` cuts off the rest"),
        OverLimit::Skip | OverLimit::SkipUnits => format!(", so `{client}` does not read the file"),
    };
    (over, instead)
}

/// How a name breaks the form of the dialect; `None` if it does not.
pub(crate) fn form_fault(dialect: &Dialect, name: &str, mode: ReadMode) -> Option<String> {
    match dialect.name_form? {
        NameForm::LowerHyphen => lower_hyphen(name, mode),
        NameForm::AsciiHyphen => ascii_hyphen(name),
        NameForm::LowerAsciiHyphen => lower_ascii_hyphen(name),
        // A strict check of the usual form asks for ASCII.
        NameForm::LowerAsciiWords => lower_hyphen(name, ReadMode::Strict),
        NameForm::AsciiDotted => ascii_dotted(name),
        NameForm::Dotted => odd_character(name, |c| c.is_alphanumeric() || "-_.:".contains(c)),
        NameForm::NoSlash => name.contains('/').then(|| "contains `/`".to_owned()),
    }
}

/// How a name breaks the form of rule 7.2; `None` if it does not. It is compared as written (rule 7.3).
fn lower_hyphen(name: &str, mode: ReadMode) -> Option<String> {
    let is_letter = |c: char| match mode {
        ReadMode::Strict => c.is_ascii_lowercase() || c.is_ascii_digit(),
        _ if c.is_ascii() => c.is_ascii_lowercase() || c.is_ascii_digit(),
        // Hangul fillers are letters that show nothing.
        ReadMode::Discovery | ReadMode::Load | ReadMode::Check => c.is_alphanumeric() && small(c).eq([c]) && !hides(c),
    };
    if let Some(odd) = name.chars().find(|c| *c != '-' && !is_letter(*c)) {
        return Some(if odd.is_uppercase() {
            format!("contains the capital letter `{odd}`, expected lower-case letters, digits and hyphens")
        } else {
            format!("contains `{}`, expected lower-case letters, digits and hyphens", visible(&odd.to_string()))
        });
    }
    if name.starts_with('-') || name.ends_with('-') {
        return Some("starts or ends with a hyphen".to_owned());
    }
    has_pair(name, b'-').then(|| "contains two hyphens in a row".to_owned())
}

/// How a name breaks the specification (rule 7.2), in any dialect; `None` if it does not.
#[cfg(feature = "digest")]
pub(crate) fn name_fault(name: &str) -> Option<String> {
    let chars = name.chars().count();
    match chars {
        0 => Some("is empty".to_owned()),
        1..=NAME_CHARS => lower_hyphen(name, ReadMode::Check),
        _ => Some(format!("has {chars} characters, expected at most {NAME_CHARS}")),
    }
}

fn ascii_hyphen(name: &str) -> Option<String> {
    let odd = name.chars().find(|c| !c.is_ascii_alphanumeric() && *c != '-')?;
    Some(format!("contains `{}`, expected letters, digits and hyphens", visible(&odd.to_string())))
}

fn ascii_dotted(name: &str) -> Option<String> {
    match name.chars().next() {
        None => Some("is empty".to_owned()),
        Some(first) if "-_.:".contains(first) => Some(format!("starts with `{first}`, expected a letter or digit")),
        Some(_) => odd_character(name, |c| c.is_ascii_alphanumeric() || "-_.:".contains(c)),
    }
}

/// The first character that a name may not have.
fn odd_character(name: &str, is_fine: impl Fn(char) -> bool) -> Option<String> {
    let odd = name.chars().find(|c| !is_fine(*c))?;
    Some(format!("contains `{}`", visible(&odd.to_string())))
}

fn lower_ascii_hyphen(name: &str) -> Option<String> {
    let is_fine = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    match name.chars().find(|c| !is_fine(*c)) {
        Some(odd) => {
            let odd = visible(&odd.to_string()).into_owned();
            Some(format!("contains `{odd}`, expected lower-case letters, digits and hyphens"))
        }
        None => name.starts_with('-').then(|| "starts with a hyphen".to_owned()),
    }
}

/// Whether a text is a semantic version: three numbers, optionally followed by `-pre` and `+build`.
fn is_semver(text: &str) -> bool {
    let (rest, build) = text.split_once('+').map_or((text, None), |(rest, build)| (rest, Some(build)));
    let (core, pre) = rest.split_once('-').map_or((rest, None), |(core, pre)| (core, Some(pre)));
    let is_number = |part: &str| {
        !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()) && (part.len() == 1 || !part.starts_with('0'))
    };
    let is_part = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    let is_pre = |part: &str| is_part(part) && (!part.bytes().all(|b| b.is_ascii_digit()) || is_number(part));
    core.split('.').count() == 3
        && core.split('.').all(is_number)
        && pre.is_none_or(|pre| pre.split('.').all(is_pre))
        && build.is_none_or(|build| build.split('.').all(is_part))
}

/// How many lines a text has. Line feeds are counted in chunks of 255 bytes with one-byte sums, which is vectorised.
fn count_lines(text: &str) -> usize {
    let breaks = |piece: &[u8]| usize::from(piece.iter().fold(0, |sum, byte| sum + u8::from(*byte == b'\n')));
    let pieces = text.as_bytes().chunks(u8::MAX.into());
    usize::from(!text.is_empty()) + pieces.map(breaks).sum::<usize>()
}

/// Checks the body, which discovery does not read. It starts at the byte `start` of the document.
pub(super) fn check_body(dialect: &Dialect, body: &str, start: usize, mode: ReadMode, sink: &mut DiagnosticSink<'_>) {
    let text = body.trim();
    let (lines, tokens) = (count_lines(body.trim_end()), text.len().div_ceil(PER_TOKEN));
    if BODY_LINES < lines {
        let message = format!("the body has {lines} lines, expected at most {BODY_LINES}");
        sink.for_file(Severity::Warning, Code::TooLong, &message)
            .advise("move detail into separate files, and refer to them from SKILL.md");
    } else if BODY_TOKENS < tokens && matches!(mode, ReadMode::Check | ReadMode::Strict) {
        let message = format!("the body has about {tokens} tokens, expected at most {BODY_TOKENS}");
        sink.for_file(Severity::Warning, Code::TooLong, &message)
            .advise("move detail into separate files, and refer to them from SKILL.md");
    }
    if matches!(mode, ReadMode::Check | ReadMode::Strict) {
        check_template(start, sink);
    }
    let closing = &*dialect.load.closing_tag;
    if !closing.is_empty() && body.contains(closing) {
        let message = format!("the body contains `{closing}`, the closing tag of the text around it");
        report_closing_tag(closing, start..sink.source.text().len(), message, sink);
    }
}

/// Reports a closing tag at its first place in a part of the document.
pub(crate) fn report_closing_tag(tag: &str, part: Range<usize>, message: String, sink: &mut DiagnosticSink<'_>) {
    let at = sink.source.text().get(part.clone()).and_then(|text| text.find(tag)).map(|at| part.start + at);
    let span = at.map(|start| Span { start, end: start + tag.len() });
    sink.at_span_or_file(span, Severity::Warning, Code::ClosesFrame, message)
        .advise("write the tag differently, for example with a space in it");
}

/// Checks the values as they are written, before they are read.
pub(super) fn check_written(dialect: &Dialect, map: &Pairs, mode: ReadMode, sink: &mut DiagnosticSink<'_>) {
    check_tabs(map, sink);
    check_refused(dialect, map, sink);
    for field in dialect.fields.iter() {
        if let (Some(values), Some(node)) = (&field.one_of, value_at(map, &field.path)) {
            check_closed_set(&field.path, node, values.iter().map(AsRef::as_ref), sink);
        }
    }
    check_compatibility(dialect, map, sink);
    check_tools(dialect, map, mode, sink);
    check_marks(dialect, map, sink);
    if mode == ReadMode::Strict {
        check_metadata(dialect, map, sink);
    }
}

/// Reports a value that is not one of those that the dialect documents.
fn check_closed_set<'v>(
    name: &str,
    node: &Node,
    values: impl Iterator<Item = &'v str> + Clone,
    sink: &mut DiagnosticSink<'_>,
) {
    let Value::Text(text) = &node.value else { return };
    let text = text.trim();
    if is_absent(node) || values.clone().any(|value| value.eq_ignore_ascii_case(text)) {
        return;
    }
    let known: Vec<&str> = values.clone().collect();
    let message = format!("`{name}` is `{}`, expected one of {}", excerpt(text, 40), known.join(", "));
    let help = match nearest(text, values).first() {
        Some(near) => format!("did you mean `{}`?", visible(near)),
        None => "write one of these values, or remove the field".to_owned(),
    };
    sink.at_span(node.span, Severity::Warning, Code::UnknownValue, message).help = Some(help);
}

/// Reports a `compatibility` without text: the specification wants at least one character.
fn check_compatibility(dialect: &Dialect, map: &Pairs, sink: &mut DiagnosticSink<'_>) {
    let is_limited = dialect.limits.iter().any(|limit| limit.role == FieldRole::Compatibility);
    let Some(field) = dialect.path_of(&FieldRole::Compatibility).filter(|_| is_limited) else { return };
    if let Some((key, _)) = map.iter().find(|(key, value)| key.as_text() == Some(field) && is_absent(value)) {
        let message = format!("`{field}` is empty, expected at least one character");
        sink.at_span(key.span, dialect.severity(Code::EmptyValue), Code::EmptyValue, message)
            .advise("say what environment the skill needs, or remove the field");
    }
}

/// Reports tools with marks that are a part of their names: the quotes and commas of a word processor, and what was meant to
/// separate or enclose them. In parentheses they may be meant.
fn check_marks(dialect: &Dialect, map: &Pairs, sink: &mut DiagnosticSink<'_>) {
    const BEGIN: [char; 9] = ['“', '”', '„', '‘', '’', '«', '-', '(', '['];
    for role in [FieldRole::AllowedTools, FieldRole::DisallowedTools] {
        let Some(field) = dialect.path_of(&role) else { continue };
        let Some(node) = value_at(map, field) else { continue };
        let (items, is_list) = match &node.value {
            Value::List(items) => (items.as_slice(), true),
            _ => (std::slice::from_ref(node), false),
        };
        let is_odd = |text: &str| {
            let mut depth = 0_usize;
            let is_mark = |c: char| {
                depth = match c {
                    '(' => depth + 1,
                    ')' => depth.saturating_sub(1),
                    _ => depth,
                };
                depth == 0 && (matches!(c, '，' | ';' | ']') || is_list && c.is_whitespace())
            };
            text.starts_with(BEGIN) || text.chars().any(is_mark)
        };
        let has_odd = |text: &str| split_commas(text).iter().any(|tool| is_odd(tool.trim()));
        if let Some(item) = items.iter().find(|item| item.as_text().is_some_and(has_odd)) {
            let shown = excerpt(item.as_text().unwrap_or_default(), 60);
            let message = format!("`{shown}` in `{field}` has quotes, marks or blanks that are a part of a name");
            sink.at_span(item.span, Severity::Warning, Code::WrongType, message)
                .advise("write the tools as a list in brackets with commas between them, as in `[Read, Bash(git *)]`");
        }
    }
}

/// Reports tools whose parentheses are not balanced, and for the specification, in strict checks, what is not one text with
/// spaces between the tools.
fn check_tools(dialect: &Dialect, map: &Pairs, mode: ReadMode, sink: &mut DiagnosticSink<'_>) {
    let is_read = dialect.allowed_tools != ToolsRule::Ignored;
    let Some(field) = dialect.path_of(&FieldRole::AllowedTools).filter(|_| is_read) else { return };
    let Some(node) = value_at(map, field).filter(|node| !is_absent(node)) else { return };
    let items = match &node.value {
        Value::List(items) => items.as_slice(),
        Value::Text(_) => std::slice::from_ref(node),
        Value::Map(_) | Value::Absent => return,
    };
    for item in items {
        if let Value::Text(text) = &item.value {
            if !is_balanced(text) {
                let message = format!("the parentheses of `{}` in `{field}` are not balanced", excerpt(text, 60));
                sink.at_span(item.span, Severity::Warning, Code::WrongType, message)
                    .advise("close each parenthesis, as in `Bash(git *)`");
                return;
            }
        }
    }
    let is_own = dialect.fields.iter().any(|field| field.role == FieldRole::AllowedTools);
    let got = match &node.value {
        Value::List(_) => "is a list",
        Value::Text(text) if split_commas(text).len() > 1 => "has commas",
        _ => return,
    };
    // A system whose document states no rules may write a list itself.
    if mode == ReadMode::Strict && !is_own && !dialect.rule_codes.is_empty() {
        let message = format!("`{field}` {got}, expected one text with spaces between the tools");
        sink.at_span(node.span, Severity::Warning, Code::WrongType, message)
            .advise("write the tools on one line with spaces between them, as the specification has it");
    }
}

fn is_balanced(text: &str) -> bool {
    let mut depth = 0_usize;
    for byte in text.bytes() {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 0 => return false,
            b')' => depth -= 1,
            _ => {}
        }
    }
    depth == 0
}

/// Reports values of the author's own map that are not text.
fn check_metadata(dialect: &Dialect, map: &Pairs, sink: &mut DiagnosticSink<'_>) {
    let Some(field) = dialect.path_of(&FieldRole::Metadata) else { return };
    let Some(Value::Map(pairs)) = value_at(map, field).map(|node| &node.value) else { return };
    for (key, value) in pairs {
        if let (Value::Text(key), Value::List(_) | Value::Map(_) | Value::Absent) = (&key.value, &value.value) {
            let message = format!("`{field}.{}` is not text", visible(key));
            sink.at_span(value.span, Severity::Warning, Code::WrongType, message)
                .advise(&format!("put the value in quotes: {field} maps strings to strings"));
        }
    }
}

/// The description of a new skill until its author writes one.
pub(crate) const TEMPLATE_DESCRIPTION: &str = "TODO Describe what this skill does and when to use it.";

/// The line in the body of a new skill until its author writes the text.
pub(crate) const TEMPLATE_BODY: &str = "TODO Write the instructions for the agent here.";

/// Reports the body of a new skill that is still to be written. It starts at the byte `start` of the document.
fn check_template(start: usize, sink: &mut DiagnosticSink<'_>) {
    let body = sink.source.text().get(start..).unwrap_or_default();
    // Few bodies have it, and a search costs less than to look at each line.
    let mut lines = body.contains(TEMPLATE_BODY).then(|| lines(body)).into_iter().flatten();
    if let Some((at, line)) = lines.find(|(_, line)| line.trim() == TEMPLATE_BODY) {
        let message = format!("the body has the line `{TEMPLATE_BODY}`, a placeholder that is still to be replaced");
        let span = Span { start: start + at, end: start + at + line.trim_end().len() };
        sink.at_span(span, Severity::Note, Code::BodyPlaceholder, message).advise("write what the agent is to do");
    }
}

/// Checks what the fields say together, after they were read.
fn check_read(dialect: &Dialect, map: &Pairs, frontmatter: &Frontmatter, sink: &mut DiagnosticSink<'_>) {
    check_fork(dialect, map, frontmatter, sink);
    let description = frontmatter.description.as_deref().filter(|text| is_unwritten(text));
    if let (Some(text), Some(field)) = (description, dialect.path_of(&FieldRole::Description)) {
        let message = format!("`{field}` is `{}`, a placeholder that is still to be replaced", excerpt(text, 60));
        let span = value_at(map, field).map(|node| node.span);
        // Whoever has just made a skill knows that it is not finished.
        let severity = if text == TEMPLATE_DESCRIPTION { Severity::Note } else { Severity::Warning };
        sink.at_span_or_file(span, severity, Code::DescriptionPlaceholder, message)
            .advise("say what the skill does and when to use it: a model chooses it by this text");
    }
}

/// Reports fields that only a fork obeys in a skill that does not say whether it is one. Who writes `context: inline` knows.
fn check_fork(dialect: &Dialect, map: &Pairs, frontmatter: &Frontmatter, sink: &mut DiagnosticSink<'_>) {
    let run = frontmatter.run();
    let context = dialect.path_of(&FieldRole::Context).filter(|field| value_at(map, field).is_none());
    let Some(context) = context.filter(|_| run.fork != Some(true)) else { return };
    let fields = [(FieldRole::Agent, run.agent.is_some()), (FieldRole::Background, run.background == Some(true))];
    for (role, is_set) in fields {
        if let Some(field) = dialect.path_of(&role).filter(|_| is_set) {
            let message = format!("`{field}` has no effect without `{context}: fork`");
            let span = value_at(map, field).map(|node| node.span);
            sink.at_span_or_file(span, Severity::Warning, Code::NoEffect, message)
                .advise(&format!("add a line `{context}: fork`, or remove the field"));
        }
    }
}

fn is_unwritten(text: &str) -> bool {
    const TEXTS: [&str; 9] = [
        "",
        "todo",
        "tbd",
        "fixme",
        "placeholder",
        "description",
        "description here",
        "your description",
        "your description here",
    ];
    let starts = ["[TODO", "<TODO", "{TODO", "TODO:", "{{"];
    let words = text.trim_matches(|c: char| !c.is_alphanumeric());
    text == TEMPLATE_DESCRIPTION
        || starts.iter().any(|start| text.starts_with(start))
        || TEXTS.iter().any(|known| words.eq_ignore_ascii_case(known))
}
