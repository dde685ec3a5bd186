//! Checks the files that the text of a skill refers to, by links, images, and code spans that are plainly paths of files
//! in the skill (rule 6.21). What may be meant otherwise is passed over: a finding that is wrong costs an author more than
//! one that is missing.

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::discovery::manifest::{DiagnosticSink, ReadMode, SKILL_FILE, is_single_file, is_skill_file, utf8};
use crate::discovery::world::World;
use crate::fs::{Entry, FileKind, FsError};
use crate::model::skill::RESOURCE_FOLDERS;
use crate::path::FsPath;
use crate::text::escape::visible;
use crate::text::lines::Source;
use crate::text::markdown::{Reference, ReferenceKind, references};
use crate::text::order::sort_by;
use crate::text::percent;
use crate::text::words::{excerpt, nearest};
use crate::text::yaml::Span;
use std::borrow::Cow;

/// How many references of one file are checked.
const MAX_REFERENCES: usize = 1_000;

/// For how many missing files of one SKILL.md the most similar name is looked for, which takes time in proportion to the
/// names in a folder.
const MAX_SUGGESTIONS: usize = 20;

/// How many characters of a path are shown in a message.
const MAX_SHOWN_CHARS: usize = 80;

/// Adds the findings about the references of a SKILL.md, whose text starts at the byte `body` of the document.
pub(super) fn report(
    world: &World<'_>,
    (path, bytes, body): (&FsPath, &[u8], usize),
    mode: ReadMode,
    findings: &mut Vec<Diagnostic>,
) {
    let Some(dir) = path.parent().filter(|_| !is_single_file(path)) else { return };
    let Ok(text) = utf8(bytes, false) else { return };
    let source = Source::new(text);
    let mut sink = DiagnosticSink::new(path, &source);
    let mut folders = Folders { world, dir: &dir, listed: Vec::new(), suggestions_left: MAX_SUGGESTIONS };
    let mut referenced = Vec::new();
    for (reference, target) in file_references(source.text(), body) {
        let span = Span { start: reference.range.start, end: reference.range.end };
        match below(&target, &[]) {
            Below::Outside => report_outside(&target, span, mode, &mut sink),
            Below::Path(names) if names.is_empty() => {}
            Below::Path(names) if reference.kind == ReferenceKind::CodeSpan && !folders.may_be_own(&names) => {}
            Below::Path(names) => match folders.find(&names) {
                Found::File => referenced.push(names.join("/")),
                Found::Folder => referenced.push(names.join("/") + "/"),
                Found::Unknown => {}
                Found::Missing(near) => report_missing(&target, near, span, &mut sink),
            },
        }
    }
    findings.append(&mut sink.findings);
    if mode == ReadMode::Strict {
        report_nested(&mut folders, &mut referenced, findings);
    }
}

fn report_missing(target: &str, near: Option<String>, span: Span, sink: &mut DiagnosticSink<'_>) {
    let shown = excerpt(target, MAX_SHOWN_CHARS);
    let message = match target.contains('\\') {
        true => format!("the text refers to `{shown}`, whose backslashes separate folders on Windows only"),
        false => format!("the text refers to `{shown}`, which is not in the skill's folder"),
    };
    let finding = sink.at_span(span, Severity::Warning, Code::ReferenceMissing, message);
    finding.help = Some(match near {
        _ if target.contains('\\') => "separate folders with `/`".to_owned(),
        Some(near) => format!("did you mean `{}`? otherwise add the file, or remove the reference", visible(&near)),
        None => "correct the path, add the file, or remove the reference".to_owned(),
    });
}

fn report_outside(target: &str, span: Span, mode: ReadMode, sink: &mut DiagnosticSink<'_>) {
    // Skills that are made to be installed together refer to each other.
    let is_skill = target.rsplit('/').next().is_some_and(is_skill_file);
    if is_skill && mode != ReadMode::Strict {
        return;
    }
    let shown = excerpt(target, MAX_SHOWN_CHARS);
    let message = format!("the text refers to `{shown}`, which is outside of the skill's folder");
    sink.at_span(span, Severity::Warning, Code::ReferenceOutside, message).advise(match is_skill {
        true => "refer to another skill by its name",
        false => "move the file into the skill's folder",
    });
}

/// How much is read of a file that a SKILL.md refers to.
const MAX_REFERENCED_BYTES: u64 = 262_144;

/// Adds the findings about files that only a referenced file refers to, at these references. `referenced` are the files
/// and folders that the SKILL.md refers to; a folder ends with `/`.
fn report_nested(folders: &mut Folders<'_>, referenced: &mut Vec<String>, findings: &mut Vec<Diagnostic>) {
    sort_by(referenced, Ord::cmp);
    referenced.dedup();
    let is_named = |file: &str| {
        referenced.iter().any(|named| named == file || (named.ends_with('/') && file.starts_with(&**named)))
    };
    for file in referenced.iter().filter(|file| file.ends_with(".md") || file.ends_with(".markdown")) {
        let Ok(path) = folders.dir.join(file) else { continue };
        let Ok(prefix) = folders.world.fs.read(&path, MAX_REFERENCED_BYTES) else { continue };
        let Ok(text) = utf8(&prefix.bytes, (prefix.bytes.len() as u64) < prefix.len) else { continue };
        let source = Source::new(text);
        let mut sink = DiagnosticSink::new(&path, &source);
        let base: Vec<&str> = file.split('/').collect();
        let base = base.split_last().map_or(&[][..], |(_, folders)| folders);
        for (reference, target) in file_references(source.text(), 0) {
            // A path is relative to the file for a reader of Markdown, and to the skill for the specification.
            let own = [base, &[]].into_iter().find_map(|base| match below(&target, base) {
                Below::Path(names) if !names.is_empty() && matches!(folders.find(&names), Found::File) => {
                    Some(names.join("/"))
                }
                Below::Path(_) | Below::Outside => None,
            });
            let Some(own) = own.filter(|own| own != file && own != SKILL_FILE && !is_named(own)) else { continue };
            let message = format!(
                "only this file refers to `{}`, which is more than one step away from {SKILL_FILE}",
                excerpt(&own, MAX_SHOWN_CHARS)
            );
            let span = Span { start: reference.range.start, end: reference.range.end };
            sink.at_span(span, Severity::Warning, Code::ReferenceNested, message)
                .advise(&format!("refer to the file from {SKILL_FILE} too"));
        }
        findings.append(&mut sink.findings);
    }
}

/// The references to files of a text from the byte `from` on, and their paths as they were meant.
fn file_references(text: &str, from: usize) -> Vec<(Reference, Cow<'_, str>)> {
    let mut found = Vec::new();
    for mut reference in references(text.get(from..).unwrap_or_default()) {
        let moved = |range: std::ops::Range<usize>| range.start + from..range.end + from;
        (reference.range, reference.line) = (moved(reference.range), moved(reference.line));
        let Some(written) = text.get(reference.range.clone()) else { continue };
        let target = match reference.kind {
            ReferenceKind::Link => link_target(written),
            ReferenceKind::CodeSpan => {
                let line = text.get(reference.line.clone()).unwrap_or_default();
                plain_path(written).filter(|_| !is_example(line)).map(Cow::Borrowed)
            }
        };
        if let Some(target) = target {
            found.push((reference, target));
            if found.len() == MAX_REFERENCES {
                break;
            }
        }
    }
    found
}

/// The path of a link without its anchor, with percent-encoded bytes decoded where that is possible; `None` if it is no
/// relative path, or a placeholder for one.
fn link_target(written: &str) -> Option<Cow<'_, str>> {
    let path = written.split(['#', '?']).next().filter(|path| !path.is_empty())?;
    let is_scheme = |scheme: &str| scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    let is_absolute = path.starts_with(['/', '\\', '~', '@']);
    if is_absolute || path.split_once(':').is_some_and(|(scheme, _)| is_scheme(scheme)) || is_placeholder(path) {
        return None;
    }
    // A backslash before punctuation is part of Markdown, not of the path.
    if path.split('\\').skip(1).any(|after| after.starts_with(|c: char| c.is_ascii_punctuation())) {
        return None;
    }
    // One word is no path but a placeholder such as `url`.
    let is_path = path.contains(['.', '/']) && !path.starts_with("path/to/");
    is_path.then(|| percent::decoded(path).map_or(Cow::Borrowed(path), Cow::Owned))
}

/// A code span that is a relative path of a file in a folder of the skill; `None` if it may be something else.
fn plain_path(written: &str) -> Option<&str> {
    let is_of_path = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '/' | '\\' | '+');
    let path = written.strip_prefix("./").unwrap_or(written);
    if path.starts_with(['/', '\\', '-', '.']) || !path.chars().all(is_of_path) || is_placeholder(path) {
        return None;
    }
    let (folders, file) = path.rsplit_once(['/', '\\'])?;
    // A file has a name and an extension.
    let (stem, extension) = file.rsplit_once('.')?;
    let is_extension = extension.starts_with(|c: char| c.is_ascii_alphabetic())
        && extension.len() <= 10
        && extension.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_plain = folders.split(['/', '\\']).all(|name| !name.is_empty() && name != "." && name != "..");
    (is_plain && is_extension && !stem.is_empty()).then_some(path)
}

/// Whether a path stands for others: it has a variable, a pattern or an ellipsis in it.
fn is_placeholder(path: &str) -> bool {
    path.contains(['$', '{', '}', '*', '<', '>', '|', '"', '[', ']', '…', '\n']) || path.contains("...")
}

/// Whether a line gives examples, whose files need not exist.
fn is_example(line: &str) -> bool {
    const WORDS: [&str; 5] = ["e.g.", "example", "such as", "for instance", "would be"];
    let line = line.to_ascii_lowercase();
    WORDS.iter().any(|word| line.contains(word))
}

/// Where a relative path leads.
enum Below<'t> {
    /// Out of the skill's folder.
    Outside,
    /// To these names below the skill's folder; none for the folder itself.
    Path(Vec<&'t str>),
}

/// Where a path leads that is relative to the folder of these names in the skill.
fn below<'t>(path: &'t str, base: &[&'t str]) -> Below<'t> {
    let mut names = base.to_vec();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => {
                if names.pop().is_none() {
                    return Below::Outside;
                }
            }
            name => names.push(name),
        }
    }
    Below::Path(names)
}

/// What a path in the skill's folder leads to.
enum Found {
    File,
    Folder,
    /// Nothing, and the path that is spelled most similarly.
    Missing(Option<String>),
    /// A folder on the way cannot be listed.
    Unknown,
}

/// The folders of one skill, each listed once.
struct Folders<'w> {
    world: &'w World<'w>,
    dir: &'w FsPath,
    /// The folders that were listed, by their paths below the skill's folder; `None` if one cannot be listed.
    listed: Vec<(String, Option<Vec<Entry>>)>,
    suggestions_left: usize,
}

impl Folders<'_> {
    /// Whether a path in a code span is surely meant to be below the skill's folder, and not below that of a project: its
    /// folder exists here, or is named as only those of skills are.
    fn may_be_own(&mut self, names: &[&str]) -> bool {
        let first = names.first().and_then(|name| name.split('\\').next()).unwrap_or_default();
        let is_usual = RESOURCE_FOLDERS.contains(&first) && first != "scripts";
        is_usual || matches!(self.find(&[first]), Found::Folder)
    }

    /// Looks a path up.
    fn find(&mut self, names: &[&str]) -> Found {
        let mut folder = String::new();
        for (n, name) in names.iter().enumerate() {
            let is_last = n + 1 == names.len();
            let may_suggest = is_last && self.suggestions_left > 0;
            let Some(entries) = self.entries(&folder) else { return Found::Unknown };
            match entries.iter().find(|entry| entry.name == *name).map(|entry| entry.kind) {
                Some(FileKind::Dir) if is_last => return Found::Folder,
                Some(FileKind::Dir) => {}
                Some(_) if is_last => return Found::File,
                Some(_) => return Found::Missing(None),
                None if may_suggest => {
                    let near = nearest(name, entries.iter().map(|entry| entry.name.as_str())).first().copied();
                    let near = near.map(|near| format!("{folder}{near}"));
                    self.suggestions_left -= 1;
                    return Found::Missing(near);
                }
                None => return Found::Missing(None),
            }
            folder.push_str(name);
            folder.push('/');
        }
        Found::Folder
    }

    /// The entries of a folder, whose path is empty for the skill's own and ends with `/` otherwise; `None` if it cannot be
    /// listed.
    fn entries(&mut self, folder: &str) -> Option<&[Entry]> {
        let known = self.listed.iter().position(|(listed, _)| listed == folder);
        let at = known.unwrap_or_else(|| {
            let path = self.dir.join(folder).ok();
            let entries = path.and_then(|path| match self.world.fs.list(&path) {
                Err(FsError::NotFound(_)) => Some(Vec::new()),
                listed => listed.ok(),
            });
            self.listed.push((folder.to_owned(), entries));
            self.listed.len() - 1
        });
        self.listed.get(at)?.1.as_deref()
    }
}
