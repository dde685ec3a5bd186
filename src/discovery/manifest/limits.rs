//! In: what was read, and a dialect's limits. Out: findings alone: nothing here changes a value or loses a skill
//! (decisions 8). `check` raises to errors what the document of its profile calls a rule.

use super::fields::is_null;
use super::{DiagnosticSink, ReadMode, location_name};
use crate::diagnostic::{Code, Severity};
use crate::dialect::{Dialect, FieldRole, NameForm, Necessity};
use crate::model::skill::Frontmatter;
use crate::text::escape::{has_pair, hides, unhidden, visible};
use crate::text::lower::small;
use crate::text::pattern::{MAX_OF_SKILL, Pattern, PatternError};
use crate::text::words::excerpt;
use crate::text::yaml::{Node, Span, Value};

/// How many lines a body should have at most (spec S12).
const BODY_LINES: usize = 500;

/// How many bytes the patterns of one skill may take that `check` compiles: 64 with a class of all letters fit twice, and
/// it takes a twentieth of a second at the worst.
const CHECKED_BYTES: usize = 4 << 20;

/// How many characters a name has at most (spec S3).
#[cfg(feature = "digest")]
const NAME_CHARS: usize = 64;

/// The place of a field that is not there.
const NOWHERE: Span = Span { start: 0, end: 0 };

/// How much a broken limit weighs: `check` raises to an error what the profile's document calls a rule (decisions 8).
pub(super) fn weight(dialect: &Dialect, mode: ReadMode, code: Code) -> Severity {
    match mode {
        ReadMode::Check | ReadMode::Strict if dialect.rules.contains(&code) => Severity::Error,
        ReadMode::Discovery | ReadMode::Load | ReadMode::Check | ReadMode::Strict => Severity::Warning,
    }
}

/// The limits of the fields.
pub(super) fn frontmatter(
    dialect: &Dialect,
    map: &[(Node, Node)],
    frontmatter: &Frontmatter,
    mode: ReadMode,
    sink: &mut DiagnosticSink<'_>,
) {
    let span = |name: &str| at(map, name).map_or(NOWHERE, |value| value.span);
    for limit in dialect.limits.iter() {
        let (field, text) = match limit.slot {
            FieldRole::Name => ("name", &frontmatter.name),
            FieldRole::Description => ("description", &frontmatter.description),
            FieldRole::Compatibility => ("compatibility", &frontmatter.needs().compatibility),
            FieldRole::Brief => ("brief_description", &frontmatter.triggers().brief),
            _ => continue,
        };
        // No text has more characters than bytes.
        let Some(text) = text.as_deref().filter(|text| limit.max_chars < text.len()) else { continue };
        let chars = text.chars().count();
        if limit.max_chars < chars {
            let message = format!("`{field}` has {chars} characters, expected at most {}", limit.max_chars);
            let severity = match limit.slot {
                // It is cut where it is shown, and no document forbids it (decisions 38).
                FieldRole::Brief => Severity::Warning,
                _ => weight(dialect, mode, Code::TooLong),
            };
            sink.over(span(field), severity, Code::TooLong, message).advise("shorten it");
        }
    }
    if let Some(name) = &frontmatter.name {
        self::name(dialect, name, map, mode, sink);
    } else if dialect.fields.iter().any(|field| field.slot == FieldRole::Name && field.need == Necessity::Optional) {
        folder(dialect, mode, sink);
    }
    if let Some(version) =
        frontmatter.version.as_ref().filter(|version| dialect.version_is_semver && !is_semver(version))
    {
        let message = format!("`version` is `{}`, expected a semantic version as in `1.0.0`", excerpt(version, 40));
        sink.over(span("version"), weight(dialect, mode, Code::VersionInvalid), Code::VersionInvalid, message)
            .advise("write three numbers with dots between them");
    }
    patterns(dialect, map, mode, sink);
    if frontmatter.not_for_model && frontmatter.not_for_user {
        let message = "the skill is hidden from the model and from the user, so nobody can call it";
        sink.file(Severity::Warning, Code::Unreachable, message).advise("remove one of the two fields");
    }
    if mode == ReadMode::Strict {
        let metadata = below(map, "metadata").map(|node| &node.value);
        let pairs = if let Some(Value::Map(pairs)) = metadata { pairs.as_slice() } else { &[] };
        for (key, value) in pairs {
            if let (Value::Text(key), Value::List(_) | Value::Map(_) | Value::Absent) = (&key.value, &value.value) {
                let message = format!("`metadata.{}` is not text", visible(key));
                sink.over(value.span, Severity::Warning, Code::WrongType, message)
                    .advise("put the value in quotes: metadata maps strings to strings");
            }
        }
    }
}

/// The patterns of the triggers (decisions 37): discovery judges their form, `check` what they grow to as well.
fn patterns(dialect: &Dialect, map: &[(Node, Node)], mode: ReadMode, sink: &mut DiagnosticSink<'_>) {
    let Some(field) = dialect.fields.iter().find(|field| field.slot == FieldRole::Patterns) else { return };
    let Some(node) = below(map, &field.path) else { return };
    let items = match &node.value {
        Value::List(items) => items.as_slice(),
        Value::Text(_) | Value::Map(_) | Value::Absent => std::slice::from_ref(node),
    };
    let mut left = Some(CHECKED_BYTES);
    for (n, item) in items.iter().filter(|item| !is_null(item)).enumerate() {
        if n == MAX_OF_SKILL {
            let message = format!("more than {MAX_OF_SKILL} patterns; this one and those after it are ignored");
            sink.over(item.span, weight(dialect, mode, Code::TooManyPatterns), Code::TooManyPatterns, message)
                .advise("combine patterns with `|`, or use keywords instead");
            break;
        }
        let Value::Text(written) = &item.value else { continue };
        if let (ReadMode::Check | ReadMode::Strict, Some(room)) = (mode, left) {
            left = room.checked_sub(Pattern::bytes(written.trim()));
            if left.is_none() {
                let message =
                    "the patterns are too large in total; from this one on only their syntax is checked".to_owned();
                sink.over(item.span, weight(dialect, mode, Code::TooManyPatterns), Code::TooManyPatterns, message)
                    .advise("use fewer repetitions and classes, or keywords instead");
            }
        }
        let checked = match mode {
            ReadMode::Check | ReadMode::Strict if left.is_some() => Pattern::new(written.trim()).map(|_| ()),
            ReadMode::Discovery | ReadMode::Load | ReadMode::Check | ReadMode::Strict => Pattern::judge(written.trim()),
        };
        let shown = excerpt(written.trim(), 60);
        let (code, message, help) = match checked {
            Ok(()) => continue,
            Err(PatternError::Invalid(reason) | PatternError::Unknown(reason)) => (
                Code::PatternInvalid,
                format!("the pattern `{shown}` is ignored: {}", excerpt(&reason, 200)),
                "fix the regular expression; look-around and back-references are not supported",
            ),
            Err(PatternError::TooLarge | PatternError::NoRoom) => (
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
        sink.over(item.span, weight(dialect, mode, code), code, message).advise(help);
    }
}

/// The value of a name.
fn at<'m>(map: &'m [(Node, Node)], name: &str) -> Option<&'m Node> {
    let is_it = |key: &Node| matches!(&key.value, Value::Text(text) if text == name);
    map.iter().find(|(key, _)| is_it(key)).map(|(_, value)| value)
}

/// The value at a path of at most two names.
pub(super) fn below<'m>(map: &'m [(Node, Node)], path: &str) -> Option<&'m Node> {
    match path.split_once('.') {
        None => at(map, path),
        Some((outer, inner)) => match &at(map, outer)?.value {
            Value::Map(map) => at(map, inner),
            Value::Text(_) | Value::List(_) | Value::Absent => None,
        },
    }
}

fn name(dialect: &Dialect, name: &str, map: &[(Node, Node)], mode: ReadMode, sink: &mut DiagnosticSink<'_>) {
    let span = at(map, "name").map_or(NOWHERE, |value| value.span);
    if unhidden(name).1 {
        let message = "`name` contains invisible or control characters, which are removed where it is shown";
        sink.over(span, Severity::Warning, Code::HiddenCharacters, message.into())
            .advise("delete them: a reader does not see them");
    }
    let form = match dialect.name_form {
        Some(NameForm::AsciiHyphen) => "letters, digits and hyphens",
        Some(NameForm::LowerHyphen | NameForm::LowerAsciiHyphen) | None => {
            "lower-case letters, digits and single hyphens between them"
        }
    };
    if let Some(fault) = fault(dialect, name, mode) {
        let message = format!("the name `{}` {fault}", excerpt(name, 80));
        sink.over(span, weight(dialect, mode, Code::NameInvalid), Code::NameInvalid, message).help =
            Some(format!("write the name with {form}"));
    }
    let folder = location_name(sink.path);
    if dialect.name_is_folder && name != folder {
        let message = format!("the name `{}` does not match the folder name `{}`", excerpt(name, 80), visible(folder));
        sink.over(span, weight(dialect, mode, Code::NameMismatch), Code::NameMismatch, message)
            .advise("make the folder name and `name` match");
    }
}

/// A folder's name that stands for the skill's by right is checked as one.
fn folder(dialect: &Dialect, mode: ReadMode, sink: &mut DiagnosticSink<'_>) {
    let folder = sink.path.folder();
    if let Some(fault) = fault(dialect, folder, mode) {
        let message = format!("the folder name `{}`, which is used as the skill's name, {fault}", excerpt(folder, 80));
        sink.file(weight(dialect, mode, Code::NameInvalid), Code::NameInvalid, &message)
            .advise("rename the folder, or add a `name` field");
    }
    let chars = folder.chars().count();
    for limit in dialect.limits.iter().filter(|limit| limit.slot == FieldRole::Name && limit.max_chars < chars) {
        let message = format!(
            "the folder name, which is used as the skill's name, has {chars} characters, expected at most {}",
            limit.max_chars
        );
        sink.file(weight(dialect, mode, Code::TooLong), Code::TooLong, &message)
            .advise("rename the folder, or add a `name` field");
    }
}

fn fault(dialect: &Dialect, name: &str, mode: ReadMode) -> Option<String> {
    match dialect.name_form? {
        NameForm::LowerHyphen => lower_hyphen(name, mode),
        NameForm::AsciiHyphen => ascii_hyphen(name),
        NameForm::LowerAsciiHyphen => lower_ascii_hyphen(name),
    }
}

/// What is wrong with a name by S3 to S5, if anything. Compared as written (decisions 44).
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

/// What is wrong with a name by the specification (S3 to S5), whatever the dialect.
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

/// Whether a text is a semantic version: three numbers, then `-pre` and `+build` as they may be.
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

/// How many lines a text has. Counted in pieces that a byte can count, many bytes at once.
fn lines_of(text: &str) -> usize {
    let breaks = |piece: &[u8]| usize::from(piece.iter().fold(0, |sum, byte| sum + u8::from(*byte == b'\n')));
    let pieces = text.as_bytes().chunks(u8::MAX.into());
    usize::from(!text.is_empty()) + pieces.map(breaks).sum::<usize>()
}

/// The limits of the body, which discovery does not read. It starts at this byte of the document.
pub(super) fn body(dialect: &Dialect, body: &str, start: usize, sink: &mut DiagnosticSink<'_>) {
    let lines = lines_of(body.trim_end());
    if BODY_LINES < lines {
        let message = format!("the body has {lines} lines, expected at most {BODY_LINES}");
        sink.file(Severity::Warning, Code::TooLong, &message)
            .advise("move detail into separate files, and refer to them from SKILL.md");
    }
    let closing = &dialect.load.closing;
    if !closing.is_empty() && body.contains(&**closing) {
        let message = format!("the body contains `{}`, the closing tag of the text around it", dialect.load.closing);
        let at = sink.source.text().get(start..).and_then(|body| body.find(&**closing)).unwrap_or(0);
        let span = Span { start: start + at, end: start + at + closing.len() };
        sink.over(span, Severity::Warning, Code::ClosesFrame, message)
            .advise("write the tag differently, for example with a space in it");
    }
}
