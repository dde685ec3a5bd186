//! Reads a SKILL.md into a [`Manifest`]: its fields by the dialect's field table, or why it is not a skill, and
//! findings at their lines. Reading never fails, and only `sidecar` looks at another file. How a value may be spelled is decided in
//! this module alone; which of several skills is used is decided later, by `resolve`.

mod both;
mod faithful;
mod fields;
mod front;
mod keys;
mod limits;
mod refused;
mod sidecar;
mod sink;
mod types;

pub(crate) use crate::text::lines::decode_utf8 as utf8;
pub(crate) use both::restricted;
pub(crate) use faithful::{Fault as FaithfulFault, Parts as FaithfulParts, recover, report_unrecovered};
#[cfg(feature = "author")]
pub(crate) use faithful::{fit, without_tags};
#[cfg(feature = "author")]
pub(crate) use fields::is_absent;
pub(crate) use fields::{items, toolset_parts};
pub(crate) use front::{Front, FrontmatterOutcome, Read, front, repair, report_misleading, reread};
#[cfg(feature = "digest")]
pub(crate) use limits::name_fault;
pub(crate) use limits::report_closing_tag;
#[cfg(feature = "author")]
pub(crate) use limits::{TEMPLATE_BODY, TEMPLATE_DESCRIPTION, form_fault};
#[cfg(feature = "author")]
pub(crate) use refused::{is_left_out, is_refused};
pub(crate) use sidecar::{SidecarError, read_sidecar};
pub(crate) use sink::DiagnosticSink;

use crate::diagnostic::{Code, Diagnostic, Mark, Position, Severity};
use crate::dialect::{DescriptionFallback, Dialect, FieldRole, MissingFrontmatter, Permitted, Reading};
use crate::discovery::extras::Extras;
use crate::discovery::world::World;
use crate::fs::{FilePrefix, FsError};
use crate::model::skill::Frontmatter;
use crate::path::FsPath;
use crate::text::frontmatter;
use crate::text::lines::{Source, with_lf};
use crate::text::words::{first_heading, first_line, first_paragraph, first_three_lines};
use crate::text::yaml::Style;
use std::borrow::Cow;
use std::sync::Arc;

/// The name of a skill's file (rule 3.10).
pub(crate) const SKILL_FILE: &str = "SKILL.md";

/// In how many bytes at the beginning of a file its frontmatter is searched for (rule 4.3). Discovery reads no more of a
/// file.
pub(crate) const HEAD_BYTES: u64 = 262_144;

/// How many bytes of a file discovery reads at first: nearly every frontmatter ends within them, such as one with a description
/// of 1024 characters, the most in agentskills. What compares dialects holds as much of each file.
pub(crate) const PREFIX_BYTES: u64 = 1_536;

/// The text of a file in which its frontmatter is searched for.
pub(crate) fn head<'s>(source: &'s Source<'_>) -> &'s str {
    source.prefix(HEAD_BYTES as usize)
}

/// The message for a symlink that must not be followed (rule 3.7).
pub(crate) const LEADS_OUT: &str = "the symlink leads out of the project, so it is not followed";

/// What to do about such a symlink.
pub(crate) const LEADS_OUT_HELP: &str = "copy its target into the project; if you trust the target, add its folder \
     as a source of your own, or allow links that lead out of the project";

/// The name of a skill by its location: that of its folder, or that of a single file without its extension
/// (rule 2.12).
pub(crate) fn location_name(path: &FsPath) -> &str {
    if !is_single_file(path) {
        return path.folder();
    }
    match path.name().rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        Some(_) | None => path.name(),
    }
}

/// Whether a name is SKILL.md in any letter case (rule 3.10).
pub(crate) fn is_skill_file(name: &str) -> bool {
    name.eq_ignore_ascii_case(SKILL_FILE)
}

/// Whether a name was probably meant to be SKILL.md: it has an extension that editors add or hide, none, or spaces around it.
pub(crate) fn is_nearly_skill_file(name: &str) -> bool {
    const ENDINGS: [&str; 6] = ["md.txt", "md.md", "markdown", "mdx", "md", "txt"];
    // In small letters it may be a program.
    let Some((stem, ending)) = name.split_once('.') else { return name == "SKILL" };
    stem.trim().eq_ignore_ascii_case("skill")
        && ENDINGS.iter().any(|known| ending.trim().eq_ignore_ascii_case(known))
        && !is_skill_file(name)
}

/// Whether a skill is a single file without a folder of its own: a registered file that is not named SKILL.md.
pub(crate) fn is_single_file(path: &FsPath) -> bool {
    !is_skill_file(path.name())
}

/// What a SKILL.md says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Manifest {
    /// The fields, as far as they could be read.
    pub(crate) frontmatter: Arc<Frontmatter>,
    /// Why it is not a skill; `None` if it is one.
    pub(crate) rejected: Option<Code>,
    pub(crate) findings: Vec<Diagnostic>,
    /// The places in the file at which the knowledge files are named, in the order of `Needs::knowledge`.
    pub(crate) knowledge: Vec<Mark>,
    /// Whether it is a skill, or has its name and description, only thanks to a repair (rule 4.12).
    pub(crate) is_repaired: bool,
    /// Further fields below the frontmatter (rule 4.6), between fences.
    more_fields: Option<String>,
    /// What the fields are in the way of reading that does not count, if that restricts more (rule 9.13).
    pub(crate) other_reading: Option<Arc<Frontmatter>>,
    /// Whether the file system has yet to fetch the file. Such a file is neither a skill nor reported.
    pub(crate) pending: bool,
}

/// A SKILL.md that was read completely.
pub(crate) struct Document {
    pub(crate) manifest: Manifest,
    /// The text after the frontmatter, with LF as line endings; the whole text if there is no frontmatter.
    pub(crate) body: String,
    /// The byte of the text at which the body starts.
    pub(crate) body_start: usize,
    /// The bytes of the whole file; empty if it could not be read or is too large.
    pub(crate) bytes: Vec<u8>,
}

/// Who reads a SKILL.md, and so how much of it is read and checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReadMode {
    /// Discovery reads the frontmatter.
    Discovery,
    /// Loading reads the whole file.
    Load,
    /// `check` reads the whole file, and reports broken rules as errors.
    Check,
    /// `check --strict` also reports unknown fields.
    Strict,
}

/// Like [`read`], with the frontmatters that are parsed once for several dialects.
pub(crate) fn read_shared(
    world: &World<'_>,
    dialect: &Dialect,
    path: &FsPath,
    prefix: Result<&FilePrefix, &FsError>,
) -> Manifest {
    let parsed = world.parsed.filter(|_| dialect.reading == Reading::Faithful);
    let parsed = parsed.zip(prefix.ok().filter(|prefix| prefix.len <= dialect.max_skill_bytes()));
    let manifest = parsed.and_then(|(parsed, prefix)| {
        let plain = frontmatter::plain(&prefix.bytes)?;
        let parsed = parsed.get(path, plain)?;
        let source = Source::new(&parsed.text);
        let front = faithful::parsed_front(dialect, &parsed)?;
        let sink = DiagnosticSink::new(path, &source);
        let mut manifest = read_front(dialect, (sink, front), true, ReadMode::Discovery)?.manifest;
        both::add(world.extras, dialect, path, (prefix, Some(plain)), ReadMode::Discovery, &mut manifest)?;
        Some(manifest)
    });
    manifest.unwrap_or_else(|| read(world, dialect, path, prefix))
}

/// Reads the SKILL.md whose prefix was read. Reads more of the file, up to [`HEAD_BYTES`], only if the prefix does not hold
/// the whole frontmatter.
pub(crate) fn read(
    world: &World<'_>,
    dialect: &Dialect,
    path: &FsPath,
    prefix: Result<&FilePrefix, &FsError>,
) -> Manifest {
    let document = match prefix {
        Ok(prefix) => read_prefix(world.extras, dialect, path, prefix, ReadMode::Discovery),
        Err(error) => return unreadable(path, error),
    };
    match document {
        Some(document) => document.manifest,
        None => {
            let head = world.fs.read(path, HEAD_BYTES);
            read_all(world.extras, dialect, path, head.as_ref(), ReadMode::Discovery).manifest
        }
    }
}

pub(crate) fn read_whole(world: &World<'_>, dialect: &Dialect, path: &FsPath, mode: ReadMode) -> Document {
    match world.fs.read(path, dialect.max_skill_bytes() + 1) {
        Err(error) => read_all(world.extras, dialect, path, Err(&error), mode),
        Ok(prefix) => {
            let document = read_all(world.extras, dialect, path, Ok(&prefix), mode);
            Document { bytes: prefix.bytes, ..document }
        }
    }
}

/// Reads a SKILL.md of which as much was read as it may have bytes. The bytes are not in the document.
pub(crate) fn read_all(
    extras: &Extras,
    dialect: &Dialect,
    path: &FsPath,
    prefix: Result<&FilePrefix, &FsError>,
    mode: ReadMode,
) -> Document {
    match prefix {
        Err(error) => only_manifest(unreadable(path, error)),
        // A file of which there is more has grown while it was read.
        Ok(prefix) => read_prefix(extras, dialect, path, prefix, mode)
            .unwrap_or_else(|| only_manifest(too_large(dialect, path, prefix.len))),
    }
}

fn only_manifest(manifest: Manifest) -> Document {
    Document { manifest, body: String::new(), body_start: 0, bytes: Vec::new() }
}

/// Reads the bytes of a whole SKILL.md; `None` if there are too many.
#[cfg(any(feature = "author", feature = "digest"))]
pub(crate) fn read_content(
    extras: &Extras,
    dialect: &Dialect,
    path: &FsPath,
    bytes: &[u8],
    mode: ReadMode,
) -> Option<Document> {
    match dialect.max_skill_bytes() < bytes.len() as u64 {
        true => None,
        false => read_bytes(extras, dialect, path, (bytes, false), mode),
    }
}

/// What a client would read in the text of a whole SKILL.md if it took the fields from it that its author meant; `None` if the
/// text is too large.
#[cfg(feature = "author")]
pub(crate) fn read_meant(client: &Dialect, path: &FsPath, text: &str, mode: ReadMode) -> Option<Manifest> {
    let source = Source::new(text);
    let mut sink = DiagnosticSink::new(path, &source);
    let front = front(Extras::FULL, &client.with_reading(Reading::Repaired), &mut sink, false)?;
    // What is wrong with the frontmatter is said by the reading itself.
    sink.findings.clear();
    Some(read_front(client, (sink, front), false, mode)?.manifest)
}

/// Reads a prefix of a file; `None` if more of the file is needed.
fn read_prefix(
    extras: &Extras,
    dialect: &Dialect,
    path: &FsPath,
    prefix: &FilePrefix,
    mode: ReadMode,
) -> Option<Document> {
    if dialect.max_skill_bytes() < prefix.len {
        return Some(only_manifest(too_large(dialect, path, prefix.len)));
    }
    // The other ways look at the whole text anyway.
    let plain = if mode == ReadMode::Discovery { frontmatter::plain(&prefix.bytes) } else { None };
    let mut document = read_in_one_way(extras, dialect, path, (prefix, plain), mode)?;
    both::add(extras, dialect, path, (prefix, plain), mode, &mut document.manifest)?;
    Some(document)
}

/// Reads a prefix of a file in the dialect's way alone. `plain` is its frontmatter if the file is a plain one.
fn read_in_one_way(
    extras: &Extras,
    dialect: &Dialect,
    path: &FsPath,
    (prefix, plain): (&FilePrefix, Option<&[u8]>),
    mode: ReadMode,
) -> Option<Document> {
    let partial = (prefix.bytes.len() as u64) < prefix.len;
    // Discovery looks at the frontmatter alone if nothing after it can matter.
    let plain = plain.filter(|_| mode == ReadMode::Discovery);
    let document = plain.and_then(|front| read_bytes(extras, dialect, path, (front, true), mode));
    document.or_else(|| read_bytes(extras, dialect, path, (&prefix.bytes, partial), mode))
}

/// Reads the bytes of a file, or the first of them if `partial`; `None` if more of the file is needed.
fn read_bytes(
    extras: &Extras,
    dialect: &Dialect,
    path: &FsPath,
    (bytes, partial): (&[u8], bool),
    mode: ReadMode,
) -> Option<Document> {
    let text = match utf8(bytes, partial) {
        Ok(_) if dialect.reading == Reading::Repaired && is_utf16(bytes) => {
            return Some(only_manifest(Manifest::rejected(not_utf8(path, bytes))));
        }
        Ok(text) => Cow::Borrowed(text),
        Err(_) if dialect.reading == Reading::Faithful && dialect.header.other_bytes == Permitted::Yes => {
            String::from_utf8_lossy(bytes)
        }
        Err(_) => return Some(only_manifest(Manifest::rejected(not_utf8(path, bytes)))),
    };
    let source = Source::new(&text);
    let mut sink = DiagnosticSink::new(path, &source);
    if let Cow::Owned(_) = text {
        let finding = not_utf8(path, bytes);
        let message = format!("{}; `{}` reads U+FFFD in its place", finding.message, dialect.name);
        sink.findings.push(Diagnostic { severity: Severity::Warning, message, ..finding });
    }
    // What follows the head has no frontmatter.
    let partial = partial && (bytes.len() as u64) < HEAD_BYTES;
    let front = front(extras, dialect, &mut sink, partial)?;
    let mut document = read_front(dialect, (sink, front), partial, mode)?;
    if is_utf16(bytes) {
        // The characters of its lines are not those that were written.
        for finding in document.manifest.findings.iter_mut().filter(|finding| finding.fix.is_some()) {
            (finding.fix, finding.help) = (None, Some(SAVE_AS_UTF8.to_owned()));
        }
    }
    Some(document)
}

/// Reads a document whose frontmatter was parsed; `None` if more of the file is needed.
fn read_front(
    dialect: &Dialect,
    (mut sink, front): (DiagnosticSink<'_>, Front),
    partial: bool,
    mode: ReadMode,
) -> Option<Document> {
    let source = sink.source;
    let (mut frontmatter, mut rejected) = (Frontmatter::default(), None);
    let missing = match dialect.missing_frontmatter {
        MissingFrontmatter::LoadText if source.text().trim().is_empty() => MissingFrontmatter::Skip,
        MissingFrontmatter::LoadText => MissingFrontmatter::Load,
        missing => missing,
    };
    match (front.outcome, missing) {
        (FrontmatterOutcome::Map(mut map), _) => {
            if dialect.reading == Reading::Faithful {
                rejected = faithful::fit(dialect, &mut map, &mut sink);
            }
            if rejected.is_none() {
                frontmatter = fields::read_fields(dialect, &mut map, mode, &mut sink, &mut rejected);
            }
        }
        (FrontmatterOutcome::Missing(_), MissingFrontmatter::Load | MissingFrontmatter::LoadText) => {
            sink.findings.iter_mut().for_each(|finding| finding.severity = Severity::Warning);
            limits::check_frontmatter(dialect, &[], &mut frontmatter, mode, &mut sink, &mut rejected);
        }
        (FrontmatterOutcome::Missing(code), MissingFrontmatter::Skip) | (FrontmatterOutcome::Lost(code), _) => {
            rejected = Some(code);
        }
    }
    let mut more_fields = None;
    if frontmatter.name.is_none() || frontmatter.description.is_none() {
        let is_checked = matches!(mode, ReadMode::Check | ReadMode::Strict);
        more_fields = front::fields_in_body(&front.body, is_checked, &mut sink);
        // They may end after the prefix.
        let body = || source.text().as_bytes().get(front.body.clone()).unwrap_or_default();
        if partial && more_fields.is_none() && frontmatter::may_have_fields(body()) {
            return None;
        }
    }
    if rejected.is_none() && frontmatter.description.is_none() {
        match dialect.description_fallback {
            DescriptionFallback::None => {}
            // The paragraph may continue after the prefix.
            DescriptionFallback::FirstParagraph
            | DescriptionFallback::FirstHeading
            | DescriptionFallback::FirstThreeLines
            | DescriptionFallback::FirstLine
                if partial =>
            {
                return None;
            }
            fallback => {
                let field = dialect.path_of(&FieldRole::Description);
                let body = head(source).get(front.body.start..).unwrap_or_default();
                let body = body.get(..front.body.len()).unwrap_or(body);
                let text = match fallback {
                    DescriptionFallback::FirstHeading => first_heading(body),
                    DescriptionFallback::FirstThreeLines => first_three_lines(body),
                    DescriptionFallback::FirstLine => Some(first_line(body)),
                    DescriptionFallback::None | DescriptionFallback::FirstParagraph => first_paragraph(body),
                };
                frontmatter.description = field
                    .zip(text)
                    .and_then(|(field, text)| fields::visible_text(field, text, (Style::Plain, None), &mut sink));
            }
        }
    }
    let body_start = front.body.start;
    let body = match mode {
        ReadMode::Discovery => String::new(),
        ReadMode::Load | ReadMode::Check | ReadMode::Strict => {
            let body = with_lf(&source.text()[front.body]).into_owned();
            if rejected.is_none() {
                limits::check_body(dialect, &body, body_start, mode, &mut sink);
            }
            body
        }
    };
    let DiagnosticSink { findings, knowledge, .. } = sink;
    let frontmatter = Arc::new(frontmatter);
    let manifest = Manifest { frontmatter, rejected, findings, knowledge, more_fields, ..Manifest::default() };
    Some(Document { manifest, body, body_start, bytes: Vec::new() })
}

/// Reads the fields of any document with frontmatter, as far as possible, and where it names knowledge files.
pub(crate) fn read_fields_of_document(
    extras: &Extras,
    dialect: &Dialect,
    path: &FsPath,
    text: &str,
) -> (Frontmatter, Vec<Mark>) {
    let source = Source::new(text);
    let mut sink = DiagnosticSink::new(path, &source);
    let frontmatter = match front(extras, dialect, &mut sink, false).map(|front| front.outcome) {
        Some(FrontmatterOutcome::Map(mut map)) => {
            fields::read_fields(dialect, &mut map, ReadMode::Discovery, &mut sink, &mut None)
        }
        Some(FrontmatterOutcome::Missing(_) | FrontmatterOutcome::Lost(_)) | None => Frontmatter::default(),
    };
    (frontmatter, sink.knowledge)
}

impl Manifest {
    fn rejected(finding: Diagnostic) -> Manifest {
        Manifest { rejected: Some(finding.code), findings: vec![finding], ..Manifest::default() }
    }
}

fn unreadable(path: &FsPath, error: &FsError) -> Manifest {
    let (code, message, help) = match error {
        FsError::Pending(_) => return Manifest { pending: true, ..Manifest::default() },
        FsError::NotAFile(_) | FsError::NotADirectory(_) => {
            (Code::NotAFile, "expected a regular file".to_owned(), "put the text into a regular file of this name")
        }
        FsError::NotFound(_) | FsError::SymlinkLoop(_) => {
            (Code::BrokenSymlink, "broken symlink: its target does not exist".to_owned(), "fix or remove the symlink")
        }
        FsError::Denied(_) => (Code::Unreadable, "permission denied".to_owned(), "allow the user to read the file"),
        FsError::Escapes(_) => (Code::LeadsOut, LEADS_OUT.to_owned(), LEADS_OUT_HELP),
        FsError::Other { message, .. } => {
            (Code::Unreadable, format!("it could not be read: {message}"), "check that the file can be read")
        }
    };
    Manifest::rejected(Diagnostic::new(Severity::Error, code, path.clone(), message).help(help))
}

fn too_large(dialect: &Dialect, path: &FsPath, len: u64) -> Manifest {
    let message = format!("expected at most {} bytes, got {len}", dialect.max_skill_bytes());
    let help = "move detail into separate files, and refer to them from SKILL.md";
    Manifest::rejected(Diagnostic::new(Severity::Error, Code::TooLarge, path.clone(), message).help(help))
}

/// Whether a text begins as one in UTF-16 does: with a byte order mark, or with two characters of ASCII.
pub(crate) fn is_utf16(bytes: &[u8]) -> bool {
    match bytes {
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => true,
        [a, b, c, d, ..] => matches!((a, b, c, d), (1.., 0, 1.., 0) | (0, 1.., 0, 1..)),
        _ => false,
    }
}

const SAVE_AS_UTF8: &str = "save the file as UTF-8";

/// The finding about bytes that are not UTF-8, at the first byte that is not.
fn not_utf8(path: &FsPath, bytes: &[u8]) -> Diagnostic {
    let chunk = bytes.utf8_chunks().next().filter(|_| !is_utf16(bytes));
    let (before, odd) = chunk.map_or(("", &[][..]), |chunk| (chunk.valid(), chunk.invalid()));
    let line_start = before.rfind('\n').map_or(0, |found| found + 1);
    let at = Position { line: before.matches('\n').count() + 1, column: before[line_start..].chars().count() + 1 };
    let (got, line_text) = match (bytes, odd) {
        (bytes, _) if is_utf16(bytes) => ("UTF-16".to_owned(), None),
        (_, [byte, ..]) => {
            let line = bytes[line_start..].split(|byte| matches!(byte, b'\n' | b'\r')).next();
            (format!("the byte 0x{byte:02X}"), line.map(|line| String::from_utf8_lossy(line).into_owned()))
        }
        (_, []) => {
            debug_assert!(false, "all bytes of {path:?} are UTF-8");
            ("other bytes".to_owned(), None)
        }
    };
    let message = format!("expected UTF-8 text, got {got}");
    let mut finding = Diagnostic::new(Severity::Error, Code::NotUtf8, path.clone(), message).help(SAVE_AS_UTF8);
    (finding.at, finding.line_text) = (Some(at), line_text);
    finding
}
