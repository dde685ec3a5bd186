//! What a reviewer of a skill does not see, or a scanner does not read: invisible characters, text behind long blank runs,
//! encoded data, compiled and packed files, files whose content is not what their name says, and hidden files that
//! others name. These are facts and no verdicts: each has honest uses.

mod kind;

use crate::diagnostic::{Code, Diagnostic, Mark};
use crate::fs::Fs;
use crate::model::skill::Location;
use crate::package::files::{Folder, OtherKind, Package, Purpose};
use crate::path::FsPath;
use crate::text::escape::visible;
use crate::text::frontmatter::{Split, split};
use crate::text::lines::{Source, decode_utf8};
use crate::text::unseen::{What, unseen};
use kind::{Kind, expected, is_document, kind_of};

/// How much of each file is looked at, and of all files of a skill together, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;
const MAX_BYTES: u64 = 1 << 26;
/// For how many hidden files the texts are searched, each of them for each such file.
const MAX_HIDDEN: usize = 64;

/// The facts about the files of the skill with this SKILL.md, in byte order of their names. Of each file the first mebibyte is
/// looked at, and no more than 64 MiB of all. What cannot be read has findings elsewhere.
pub(crate) fn facts(fs: &dyn Fs, path: &FsPath) -> Vec<Diagnostic> {
    let Ok(location) = Location::now(fs, path) else { return Vec::new() };
    let Ok(folder) = Folder::open(fs, &location, Purpose::List) else { return Vec::new() };
    let package = folder.list();
    let mut facts = Facts::new(path, &package);
    let mut left = MAX_BYTES;
    for file in &package.files {
        let Ok(head) = package.folder().read(file, left.min(MAX_FILE_BYTES)) else { continue };
        left -= left.min(head.bytes.len() as u64);
        facts.add(&file.name, &head.bytes, head.len);
    }
    for other in package.others.iter().filter(|other| other.kind == OtherKind::LinkOutside) {
        facts.findings.push(leads_out(package.folder().shown_path(&other.name), other.target.as_ref()));
    }
    facts.findings
}

/// The finding about a symlink whose target is no part of the skill.
pub(super) fn leads_out(path: FsPath, target: Option<&FsPath>) -> Diagnostic {
    let to = target.map_or_else(String::new, |target| format!(" to `{}`", visible(target.as_str())));
    let message = format!("the symlink leads out of the skill{to}, so it is not part of it");
    fact(Code::NotCovered, &path, message, "copy the file into the skill")
}

fn fact(code: Code, path: &FsPath, message: String, help: &str) -> Diagnostic {
    Diagnostic::new(code.usual_severity(), code, path.clone(), message).help(help)
}

/// Collects the facts about the files of one skill, one file after the other.
pub(super) struct Facts<'p> {
    /// The SKILL.md as it is shown.
    manifest: &'p FsPath,
    pub(super) findings: Vec<Diagnostic>,
    /// The names of hidden files that no file so far has named.
    hidden: Vec<&'p str>,
}

impl<'p> Facts<'p> {
    /// About the files of a package. `manifest` is the path of its SKILL.md.
    pub(super) fn new(manifest: &'p FsPath, package: &'p Package<'_>) -> Facts<'p> {
        let is_hidden = |name: &&str| name.split('/').any(|part| part.starts_with('.'));
        let hidden = package.files.iter().map(|file| file.name.as_str()).filter(is_hidden).take(MAX_HIDDEN).collect();
        Facts { manifest, findings: Vec::new(), hidden }
    }

    /// Adds the facts about the first mebibyte of a file, which is `len` bytes long. The frontmatter of the SKILL.md is
    /// checked elsewhere.
    pub(super) fn add(&mut self, name: &str, bytes: &[u8], len: u64) {
        let bytes = bytes.get(..MAX_FILE_BYTES as usize).unwrap_or(bytes);
        let (is_partial, is_manifest) = ((bytes.len() as u64) < len, name == self.manifest.name());
        // An empty file can be of any kind.
        if bytes.is_empty() {
            return;
        }
        let Ok(path) = self.manifest.dirname().join(name) else { return };
        let kind = kind_of(name, bytes, is_partial);
        self.add_kind(&path, name, kind);
        if let (Kind::Text, Ok(text)) = (kind, decode_utf8(bytes, is_partial)) {
            self.add_unseen(&path, text, is_manifest);
            self.add_named(name, text);
        }
    }

    /// Adds what the kind of a file says.
    fn add_kind(&mut self, path: &FsPath, name: &str, kind: Kind) {
        let found = match kind {
            Kind::Program(what) => Some((
                Code::CompiledFile,
                format!("the file is {what}, which a reviewer cannot read"),
                "keep its source beside it, or build it where it is used",
            )),
            Kind::Archive(what) if !is_document(name) => Some((
                Code::PackedFile,
                format!("the file is {what}, whose contents are not checked"),
                "unpack it into the skill",
            )),
            Kind::Text | Kind::Archive(_) | Kind::Other(_) => None,
        };
        if let Some((code, message, help)) = found {
            self.findings.push(fact(code, path, message, help));
        }
        let expected = expected(name);
        let is_as_named = expected.is_empty() || expected.contains(&kind.name());
        if !is_as_named {
            let message = format!("the file's name suggests {}, but it is {}", expected.join(" or "), kind.name());
            let help = "give it a name that matches its contents";
            self.findings.push(fact(Code::FileKind, path, message, help));
        }
    }

    /// Adds what a reader of a text does not see.
    fn add_unseen(&mut self, path: &FsPath, text: &str, is_manifest: bool) {
        let source = Source::new(text);
        let whole = source.text();
        let start = match split(whole) {
            Split::Found(parts) if is_manifest => parts.body.start,
            _ => 0,
        };
        for one in unseen(whole.get(start..).unwrap_or_default()) {
            let (code, message, help) = match one.what {
                What::Invisible(c) => (
                    Code::HiddenCharacters,
                    format!(
                        "the text has {}, the first of them U+{:04X}",
                        count(one.count, "invisible character"),
                        u32::from(c)
                    ),
                    "delete them: a reader does not see them, but a model does",
                ),
                What::AfterBlanks => (
                    Code::TextAfterBlanks,
                    format!("there is text after a long run of blanks at {}", count(one.count, "place")),
                    "move the text to where a reader sees it",
                ),
                What::Encoded => (
                    Code::EncodedText,
                    format!("{} of the text are base64 or hexadecimal digits", count(one.count, "character")),
                    "put the data into a file of its own, with a name that describes it",
                ),
            };
            let first = start + one.first.start..start + one.first.end;
            let at = source.position(first.start);
            let mark = Mark {
                at,
                to: Some(source.position(first.end)).filter(|to| to.line == at.line),
                line_text: source.line(at.line).map(str::to_owned),
            };
            let mut finding = fact(code, path, message, help);
            finding.mark(mark);
            self.findings.push(finding);
        }
    }

    /// Adds the hidden files that a text is the first to name.
    fn add_named(&mut self, name: &str, text: &str) {
        let Facts { manifest, findings, hidden } = self;
        hidden.retain(|hidden| {
            if *hidden == name || !text.contains(hidden) {
                return true;
            }
            if let Ok(path) = manifest.dirname().join(hidden) {
                let message = format!("the hidden file is named in `{}`", visible(name));
                findings.push(fact(Code::HiddenFile, &path, message, "give it a name that does not begin with a dot"));
            }
            false
        });
    }
}

fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
