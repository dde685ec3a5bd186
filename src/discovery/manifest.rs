//! In: the bytes of a SKILL.md and a dialect's field table. Out: a [`Manifest`]: what it says, or why it is no
//! skill, and findings at their lines. Never fails, never looks at other files.
//! After this room nobody asks how a value was spelled.

mod fence;
mod fields;
mod front;
mod items;
mod limits;
mod lists;
mod missing;
mod named;
mod scripts;
mod unknown;

pub(crate) use crate::text::lines::decode_utf8 as utf8;
pub(crate) use front::{ReadOutcome, front};
pub(crate) use items::toolset_parts;
#[cfg(feature = "digest")]
pub(crate) use limits::name_fault;
pub(crate) use named::items;

use crate::diagnostic::{Code, Diagnostic, Fix, Mark, Position, Severity};
use crate::dialect::{DescriptionFallback, Dialect, MissingFrontmatter};
use crate::fs::{FilePrefix, Fs, FsError};
use crate::model::skill::Frontmatter;
use crate::path::FsPath;
use crate::text::frontmatter;
use crate::text::lines::{Source, with_lf};
use crate::text::words::first_paragraph;
use crate::text::yaml::{Node, Span};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::sync::Arc;

/// The name of a skill's file (decisions 11).
pub(crate) const SKILL_FILE: &str = "SKILL.md";

/// How many bytes a SKILL.md may have (decisions 1).
pub(crate) const MAX_BYTES: u64 = 262_144;

/// How many bytes of a file discovery reads at first: nearly every frontmatter ends within them.
pub(crate) const PREFIX_BYTES: u64 = 4_096;

/// What is said of a link that may not be followed (decisions 10).
pub(crate) const LEADS_OUT: &str = "the symlink leads out of the project, so it is not followed";

/// What to do about such a link.
pub(crate) const LEADS_OUT_HELP: &str = "copy its target into the project; if you trust the target, add its folder \
     as a source of your own, or allow links that lead out of the project";

/// What a skill is called by where it lies: its folder's name, or a single file's own without its ending
/// (decisions 40).
pub(crate) fn own_name(path: &FsPath) -> &str {
    if !is_alone(path) {
        return path.folder();
    }
    let stem = path.name().rsplit_once('.').map_or("", |(stem, _)| stem);
    if stem.is_empty() { path.name() } else { stem }
}

/// Whether a name is SKILL.md in any letter case (decisions 11).
pub(crate) fn is_skill_file(name: &str) -> bool {
    name.eq_ignore_ascii_case(SKILL_FILE)
}

/// Whether a name was meant for SKILL.md: with an ending that an editor adds or hides, or with blanks round it.
pub(crate) fn is_nearly_skill_file(name: &str) -> bool {
    const ENDINGS: [&str; 5] = ["md.txt", "md.md", "markdown", "mdx", "md"];
    let Some((stem, ending)) = name.split_once('.') else { return false };
    stem.trim().eq_ignore_ascii_case("skill")
        && ENDINGS.iter().any(|known| ending.trim().eq_ignore_ascii_case(known))
        && !is_skill_file(name)
}

/// Whether a skill is one file and no folder: a registered file that is not named SKILL.md.
pub(crate) fn is_alone(path: &FsPath) -> bool {
    !is_skill_file(path.name())
}

/// What a SKILL.md says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Manifest {
    /// The fields, as far as they could be read.
    pub(crate) frontmatter: Arc<Frontmatter>,
    /// Why it is no skill.
    pub(crate) lost: Option<Code>,
    /// What was noticed.
    pub(crate) findings: Vec<Diagnostic>,
    /// Where each knowledge file is named.
    pub(crate) knowledge: Vec<Mark>,
    /// A file that is not here yet: neither a skill nor a finding.
    pub(crate) pending: bool,
}

/// A SKILL.md read whole.
pub(crate) struct Document {
    pub(crate) manifest: Manifest,
    /// What follows the frontmatter, line ends as LF; the whole text where there is none.
    pub(crate) body: String,
    /// The bytes of the file that both were read from; none of a part of it, or where it is no skill.
    pub(crate) bytes: Vec<u8>,
}

/// Who reads, and so how much is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReadMode {
    /// Discovery: the head, leniently.
    Discovery,
    /// Load: the whole file, leniently.
    Load,
    /// `check`: the whole file.
    Check,
    /// `check --strict`: the whole file, and unknown fields.
    Strict,
}

/// Reads the SKILL.md whose head was read. Asks the file system again only when the head does not hold the
/// frontmatter whole.
pub(crate) fn read(fs: &dyn Fs, dialect: &Dialect, path: &FsPath, head: Result<&FilePrefix, &FsError>) -> Manifest {
    let judged = match head {
        Ok(head) => judged(dialect, path, head, ReadMode::Discovery),
        Err(error) => return unread(path, error),
    };
    match judged {
        Some(document) => document.manifest,
        None => whole(fs, dialect, path, ReadMode::Discovery).manifest,
    }
}

/// Reads the whole SKILL.md.
pub(crate) fn whole(fs: &dyn Fs, dialect: &Dialect, path: &FsPath, judge: ReadMode) -> Document {
    match fs.read(path, MAX_BYTES + 1) {
        Err(error) => without_body(unread(path, &error)),
        // A file that grew while it was read is judged as too large.
        Ok(head) => match judged(dialect, path, &head, judge) {
            Some(document) => Document { bytes: head.bytes, ..document },
            None => without_body(too_large(path, head.len)),
        },
    }
}

/// A document of which nothing but that is left.
fn without_body(manifest: Manifest) -> Document {
    Document { manifest, body: String::new(), bytes: Vec::new() }
}

/// Judges a head; none when more of the file is needed.
fn judged(dialect: &Dialect, path: &FsPath, head: &FilePrefix, judge: ReadMode) -> Option<Document> {
    if MAX_BYTES < head.len {
        return Some(without_body(too_large(path, head.len)));
    }
    let partial = (head.bytes.len() as u64) < head.len;
    // Where nothing behind the frontmatter can be found fault with, discovery looks at no more than that.
    let plain = if judge == ReadMode::Discovery { frontmatter::plain(&head.bytes) } else { None };
    let front = plain.and_then(|front| text_judged(dialect, path, (front, true), judge));
    front.or_else(|| text_judged(dialect, path, (&head.bytes, partial), judge))
}

/// Judges the beginning of a file, which may be a part of it; none when more is needed.
fn text_judged(dialect: &Dialect, path: &FsPath, (bytes, partial): (&[u8], bool), judge: ReadMode) -> Option<Document> {
    let text = match utf8(bytes, partial) {
        Ok(text) => text,
        Err(at) => return Some(without_body(Manifest::lost(not_utf8(path, bytes, at)))),
    };
    let source = Source::new(text);
    let mut notes = DiagnosticSink::new(path, &source);
    let front = front(dialect, &mut notes, partial)?;
    let (mut frontmatter, mut lost) = (Frontmatter::default(), None);
    match (front.outcome, dialect.bare) {
        (ReadOutcome::Map(mut map), _) => frontmatter = fields::read(dialect, &mut map, judge, &mut notes, &mut lost),
        (ReadOutcome::Lost(Code::FrontmatterMissing), MissingFrontmatter::Load) => {
            notes.found.iter_mut().for_each(|finding| finding.severity = Severity::Warning);
            limits::frontmatter(dialect, &[], &frontmatter, judge, &mut notes);
        }
        (ReadOutcome::Lost(code), MissingFrontmatter::Load | MissingFrontmatter::Skip) => lost = Some(code),
    }
    if lost.is_none() && frontmatter.description.is_none() {
        match dialect.describe {
            DescriptionFallback::AsWritten => {}
            // The paragraph may go on where the head ends.
            DescriptionFallback::FirstParagraph if partial => return None,
            DescriptionFallback::FirstParagraph => {
                let paragraph = first_paragraph(&source.text()[front.body.clone()]);
                frontmatter.description =
                    paragraph.and_then(|text| fields::clean("description", text, None, &mut notes));
            }
        }
    }
    let body = match judge {
        ReadMode::Discovery => String::new(),
        ReadMode::Load | ReadMode::Check | ReadMode::Strict => {
            let start = front.body.start;
            let body = with_lf(&source.text()[front.body]).into_owned();
            limits::body(dialect, &body, start, &mut notes);
            body
        }
    };
    let DiagnosticSink { found: findings, knowledge, .. } = notes;
    let manifest = Manifest { frontmatter: Arc::new(frontmatter), lost, findings, knowledge, pending: false };
    Some(Document { manifest, body, bytes: Vec::new() })
}

/// The fields of any document with frontmatter, as far as they can be read, and where it names knowledge files.
pub(crate) fn frontmatter(dialect: &Dialect, path: &FsPath, text: &str) -> (Frontmatter, Vec<Mark>) {
    let source = Source::new(text);
    let mut notes = DiagnosticSink::new(path, &source);
    let frontmatter = match front(dialect, &mut notes, false).map(|front| front.outcome) {
        Some(ReadOutcome::Map(mut map)) => fields::read(dialect, &mut map, ReadMode::Discovery, &mut notes, &mut None),
        Some(ReadOutcome::Lost(_)) | None => Frontmatter::default(),
    };
    (frontmatter, notes.knowledge)
}

impl Manifest {
    fn lost(finding: Diagnostic) -> Manifest {
        Manifest { lost: Some(finding.code), findings: vec![finding], ..Manifest::default() }
    }
}

fn unread(path: &FsPath, error: &FsError) -> Manifest {
    let (code, message, help) = match error {
        FsError::Pending(_) => return Manifest { pending: true, ..Manifest::default() },
        FsError::NotAFile(_) | FsError::NotADirectory(_) => {
            (Code::NotAFile, "expected a regular file".to_owned(), "put the text into a regular file of this name")
        }
        FsError::NotFound(_) | FsError::LinkLoop(_) => {
            (Code::LinkDangling, "broken symlink: its target does not exist".to_owned(), "fix or remove the symlink")
        }
        FsError::Denied(_) => (Code::Unreadable, "permission denied".to_owned(), "allow the user to read the file"),
        FsError::Escapes(_) => (Code::LeadsOut, LEADS_OUT.to_owned(), LEADS_OUT_HELP),
        FsError::Other { message, .. } => {
            (Code::Unreadable, format!("it could not be read: {message}"), "check that the file can be read")
        }
    };
    Manifest::lost(Diagnostic::new(Severity::Error, code, path.clone(), message).help(help))
}

fn too_large(path: &FsPath, len: u64) -> Manifest {
    let message = format!("expected at most {MAX_BYTES} bytes, got {len}");
    let help = "move detail into separate files, and refer to them from SKILL.md";
    Manifest::lost(Diagnostic::new(Severity::Error, Code::TooLarge, path.clone(), message).help(help))
}

fn not_utf8(path: &FsPath, bytes: &[u8], at: usize) -> Diagnostic {
    let before = bytes.get(..at).and_then(|valid| std::str::from_utf8(valid).ok()).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
    let got = match bytes {
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => "UTF-16".to_owned(),
        _ => format!("the byte 0x{:02X}", bytes.get(at).copied().unwrap_or(0)),
    };
    let message = format!("expected UTF-8 text, got {got}");
    let mut finding =
        Diagnostic::new(Severity::Error, Code::NotUtf8, path.clone(), message).help("save the file as UTF-8");
    finding.at = Some(Position { line, column });
    if !got.starts_with("UTF-16") {
        let start = before.rfind('\n').map_or(0, |found| found + 1);
        let rest = bytes.get(start..).unwrap_or_default();
        let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
        finding.line_text = rest.get(..end).map(|line| String::from_utf8_lossy(line).into_owned());
    }
    finding
}

/// The numbers of the lines that hold a carriage return other than at their end, ascending.
fn broken_lines(text: &str) -> Vec<usize> {
    let mut broken = Vec::new();
    for (number, line) in (1..).zip(text.split('\n')) {
        if line.strip_suffix('\r').unwrap_or(line).contains('\r') {
            broken.push(number);
        }
    }
    broken
}

/// Findings of one file, as they are made.
pub(crate) struct DiagnosticSink<'n> {
    pub(crate) path: &'n FsPath,
    pub(crate) source: &'n Source<'n>,
    pub(crate) found: Vec<Diagnostic>,
    /// Where each knowledge file is named: whether it is there is found out later.
    pub(crate) knowledge: Vec<Mark>,
    /// How many bytes of lines the findings may still hold.
    room_bytes: usize,
    /// The lines with a lone carriage return in them; found when first asked for.
    broken_lines: OnceCell<Vec<usize>>,
}

/// How many bytes of lines the findings of one file hold.
const LINES_BYTES: usize = 4 * MAX_BYTES as usize;

impl<'n> DiagnosticSink<'n> {
    pub(crate) fn new(path: &'n FsPath, source: &'n Source<'n>) -> DiagnosticSink<'n> {
        DiagnosticSink {
            path,
            source,
            found: Vec::new(),
            knowledge: Vec::new(),
            room_bytes: LINES_BYTES,
            broken_lines: OnceCell::new(),
        }
    }

    /// A finding at a byte of the text.
    #[cfg(feature = "digest")]
    pub(crate) fn at(&mut self, at: usize, severity: Severity, code: Code, message: String) -> &mut Diagnostic {
        self.place(self.source.position(at), severity, code, message)
    }

    /// A finding on a part of the text.
    pub(crate) fn over(&mut self, span: Span, severity: Severity, code: Code, message: String) -> &mut Diagnostic {
        let mark = self.mark(span);
        let finding = self.file(severity, code, &message);
        finding.mark(mark);
        finding
    }

    /// A finding at a line and column.
    pub(crate) fn place(&mut self, at: Position, severity: Severity, code: Code, message: String) -> &mut Diagnostic {
        let line_text = self.line_text(at.line);
        let finding = self.file(severity, code, &message);
        finding.mark(Mark { at, to: None, line_text });
        finding
    }

    /// Where a part of the text stands in the file.
    pub(crate) fn mark(&mut self, span: Span) -> Mark {
        let at = self.source.position(span.start);
        let to = if span.start < span.end { Some(self.source.position(span.end)) } else { None };
        Mark { at, to, line_text: self.line_text(at.line) }
    }

    /// The text from a byte to its line's end, without blanks there.
    pub(crate) fn line(&self, start: usize) -> Span {
        let rest = self.source.text().get(start..).unwrap_or_default();
        let line = rest.split('\n').next().unwrap_or_default();
        Span { start, end: start + line.trim_end().len() }
    }

    /// The line, while there is room: thousands of findings on one long line would each hold a copy of it.
    fn line_text(&mut self, number: usize) -> Option<String> {
        let line = self.source.line(number)?;
        self.room_bytes = self.room_bytes.checked_sub(line.len())?;
        Some(line.to_owned())
    }

    /// A finding about the file as such.
    pub(crate) fn file(&mut self, severity: Severity, code: Code, message: &str) -> &mut Diagnostic {
        self.push(Diagnostic::new(severity, code, self.path.clone(), message))
    }

    /// Whether a repair was made within the lines of a value.
    pub(crate) fn is_repaired(&self, node: &Node) -> bool {
        let lines = self.source.position(node.span.start).line..=self.source.position(node.span.end).line;
        let repairs = self.found.iter().filter(|finding| finding.code == Code::YamlRepaired);
        repairs.filter_map(|finding| finding.at).any(|at| lines.contains(&at.line))
    }

    fn push(&mut self, finding: Diagnostic) -> &mut Diagnostic {
        self.found.push(finding);
        let last = self.found.len() - 1;
        &mut self.found[last]
    }

    /// The mended line for the lines from the one that holds the first of these bytes to that of the last. None
    /// where one of the lines has a lone carriage return, which ends lines for YAML alone.
    pub(crate) fn fix(&self, from: usize, to: usize, with: String) -> Option<Fix> {
        self.fix_lines(from, to, with).filter(|fix| !fix.with.contains('\n'))
    }

    /// The same with one or more lines in their place.
    pub(crate) fn fix_lines(&self, from: usize, to: usize, with: String) -> Option<Fix> {
        let broken = self.broken_lines.get_or_init(|| broken_lines(self.source.text()));
        let (line, last) = (self.source.position(from).line, self.source.position(to.max(from)).line);
        let is_broken =
            broken.get(broken.partition_point(|broken| *broken < line)).is_some_and(|broken| *broken <= last);
        (!is_broken && !with.contains('\r')).then_some(Fix { line, last, with })
    }

    /// Text of the document, by bytes.
    pub(crate) fn slice(&self, start: usize, end: usize) -> Cow<'_, str> {
        Cow::Borrowed(self.source.text().get(start..end).unwrap_or(""))
    }
}
