//! What a reviewer of a skill does not see, or a scanner does not read: invisible characters, text behind long blank runs,
//! encoded data, compiled and packed files, files whose content is not what their name says, and hidden files that
//! others name. These are facts and no verdicts: each has honest uses.

use crate::diagnostic::{Code, Diagnostic, Mark};
use crate::fs::Fs;
use crate::model::skill::Location;
use crate::package::files::{Folder, OtherKind, Package, Purpose};
use crate::path::FsPath;
use crate::text::escape::visible;
use crate::text::frontmatter::{Split, split};
use crate::text::lines::{Source, decode_utf8};
use crate::text::unseen::{What, unseen};

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
        let Ok(head) = package.folder.read(file, left.min(MAX_FILE_BYTES)) else { continue };
        left -= left.min(head.bytes.len() as u64);
        facts.add(&file.name, &head.bytes, head.len);
    }
    for other in package.others.iter().filter(|other| other.kind == OtherKind::LinkOutside) {
        facts.findings.push(leads_out(&package.folder.shown_path(&other.name), other.target.as_ref()));
    }
    facts.findings
}

/// The finding about a symlink whose target is no part of the skill.
pub(crate) fn leads_out(path: &FsPath, target: Option<&FsPath>) -> Diagnostic {
    let to = target.map_or_else(String::new, |target| format!(" to `{}`", visible(target.as_str())));
    let message = format!("the symlink leads out of the skill{to}, so its target is not part of the skill");
    fact(Code::NotCovered, path, message, "copy the file into the skill")
}

/// The findings about what is left out of a package that is packed or embedded, but for what is excluded by its name.
#[cfg(any(feature = "archive", feature = "os"))]
pub(super) fn left_out(package: &Package<'_>) -> Vec<Diagnostic> {
    use crate::diagnostic::{Severity, put_in_order};
    let mut findings = Vec::new();
    for other in &package.others {
        let is_inside = other.target.as_ref().is_some_and(|target| target.starts_with(&package.folder.root));
        let (code, why) = match other.kind {
            OtherKind::Folder | OtherKind::LinkToFolder | OtherKind::Excluded | OtherKind::NestedSkill => continue,
            OtherKind::NotUtf8 => (Code::PathNotUtf8, "its name is not UTF-8"),
            OtherKind::LinkToNothing => (Code::BrokenSymlink, "broken symlink: its target does not exist"),
            OtherKind::Special => (Code::EntryRefused, "it is not a file or folder"),
            OtherKind::LinkOutside if is_inside => {
                (Code::NotCovered, "the symlink leads into a folder that is left out")
            }
            OtherKind::LinkOutside => (Code::NotCovered, "the symlink leads out of the folder"),
            OtherKind::LinkCycle => (Code::LinkCycle, "the symlink leads to a folder that contains it"),
            OtherKind::Unreadable => (Code::Unreadable, "it cannot be read"),
        };
        let severity = match other.kind {
            OtherKind::NotUtf8 | OtherKind::Unreadable => Severity::Error,
            _ => Severity::Warning,
        };
        let (_, name) = other.name.rsplit_once('/').unwrap_or(("", &other.name));
        let message = format!("`{}` is left out: {why}", visible(name));
        findings.push(Diagnostic::new(severity, code, package.folder.shown_path(&other.name), message));
    }
    put_in_order(&mut findings);
    findings
}

fn fact(code: Code, path: &FsPath, message: String, help: &str) -> Diagnostic {
    Diagnostic::new(code.usual_severity(), code, path.clone(), message).help(help)
}

/// Collects the facts about the files of one skill, one file after the other.
pub(crate) struct Facts<'p> {
    /// The SKILL.md as it is shown.
    manifest: &'p FsPath,
    pub(crate) findings: Vec<Diagnostic>,
    /// The names of hidden files that no file so far has named.
    hidden: Vec<&'p str>,
}

impl<'p> Facts<'p> {
    /// About the files of a package. `manifest` is the path of its SKILL.md.
    pub(crate) fn new(manifest: &'p FsPath, package: &'p Package<'_>) -> Facts<'p> {
        let is_hidden = |name: &&str| name.split('/').any(|part| part.starts_with('.'));
        let hidden = package.files.iter().map(|file| file.name.as_str()).filter(is_hidden).take(MAX_HIDDEN).collect();
        Facts { manifest, findings: Vec::new(), hidden }
    }

    /// Adds the facts about the first mebibyte of a file, which is `len` bytes long. Some clients give the frontmatter to the
    /// model, too, with its comments.
    pub(crate) fn add(&mut self, name: &str, bytes: &[u8], len: u64) {
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

    fn add_kind(&mut self, path: &FsPath, name: &str, kind: Kind) {
        match kind {
            Kind::Program(what) => {
                let message = format!("the file is {what}, which a reviewer cannot read");
                self.push(Code::CompiledFile, path, message, "keep its source beside it, or build it where it is used");
            }
            Kind::Archive(what) if !is_document(name) => {
                let message = format!("the file is {what}, whose contents are not checked");
                self.push(Code::PackedFile, path, message, "unpack it into the skill");
            }
            Kind::Text | Kind::Archive(_) | Kind::Other(_) => {}
        }
        if let Some(expected) = expected(name).filter(|expected| *expected != kind.name()) {
            let message = format!("the file's name suggests {expected}, but it is {}", kind.name());
            self.push(Code::FileKind, path, message, "give it a name that matches its contents");
        }
    }

    fn push(&mut self, code: Code, path: &FsPath, message: String, help: &str) {
        self.findings.push(fact(code, path, message, help));
    }

    fn add_unseen(&mut self, path: &FsPath, text: &str, is_manifest: bool) {
        let source = Source::new(text);
        let whole = source.text();
        let body = match split(whole) {
            Split::Found(parts) if is_manifest => parts.body.start,
            _ => 0,
        };
        // Each part by itself, as only the first place of a kind is told.
        let parts = [(0, whole.get(..body)), (body, whole.get(body..))];
        let all = parts
            .into_iter()
            .flat_map(|(start, part)| unseen(part.unwrap_or_default()).into_iter().map(move |one| (start, one)));
        for (start, one) in all {
            let count = |what| format!("{} {what}{}", one.count, if one.count == 1 { "" } else { "s" });
            let (code, message, help) = match one.what {
                What::Invisible(c) => (
                    Code::HiddenCharacters,
                    format!("the text has {}, the first of them U+{:04X}", count("invisible character"), u32::from(c)),
                    "delete them: a reader does not see them, but a model does",
                ),
                What::AfterBlanks => (
                    Code::TextAfterBlanks,
                    format!("there is text after a long run of blanks at {}", count("place")),
                    "move the text to where a reader sees it",
                ),
                What::Encoded => (
                    Code::EncodedText,
                    format!("{} of the text are base64 or hexadecimal digits", count("character")),
                    "put the data into a file of its own, with a name that describes it",
                ),
            };
            let first = start + one.first.start..start + one.first.end;
            let at = source.position(first.start);
            let mark = Mark {
                at,
                to: Some(source.position(first.end)).filter(|to| to.line == at.line),
                line_text: source.line_text(at.line),
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

/// What a file is, with a name for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Text,
    /// Code for a machine.
    Program(&'static str),
    /// Something that contains files, or is compressed.
    Archive(&'static str),
    Other(&'static str),
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Text => TEXT,
            Kind::Program(name) | Kind::Archive(name) | Kind::Other(name) => name,
        }
    }
}

const TEXT: &str = "text";
const ELF: &str = "a program for Linux";
const PE: &str = "a program for Windows";
const MACH_O: &str = "a program for macOS";
const CLASS: &str = "compiled Java";
const PYC: &str = "compiled Python";
const WASM: &str = "a WebAssembly module";
const ZIP: &str = "a zip archive";
const GZIP: &str = "gzip data";
const TAR: &str = "a tar archive";
const PDF: &str = "a PDF document";
const PNG: &str = "a PNG image";
const JPEG: &str = "a JPEG image";
const GIF: &str = "a GIF image";
const WEBP: &str = "a WebP image";
const BINARY: &str = "binary data";

/// The first bytes of files, where they begin, and what they mean.
const BEGINNINGS: &[(usize, &[u8], Kind)] = &[
    (0, b"\x7fELF", Kind::Program(ELF)),
    (0, b"MZ", Kind::Program(PE)),
    (0, b"\xcf\xfa\xed\xfe", Kind::Program(MACH_O)),
    (0, b"\xce\xfa\xed\xfe", Kind::Program(MACH_O)),
    (0, b"\xca\xfe\xba\xbe", Kind::Program(CLASS)),
    (0, b"\0asm", Kind::Program(WASM)),
    (0, b"PK\x03\x04", Kind::Archive(ZIP)),
    (0, b"PK\x05\x06", Kind::Archive(ZIP)),
    (0, b"\x1f\x8b", Kind::Archive(GZIP)),
    (0, b"BZh", Kind::Archive("bzip2 data")),
    (0, b"\xfd7zXZ\0", Kind::Archive("xz data")),
    (0, b"\x28\xb5\x2f\xfd", Kind::Archive("Zstandard data")),
    (0, b"7z\xbc\xaf\x27\x1c", Kind::Archive("a 7z archive")),
    (0, b"Rar!\x1a\x07", Kind::Archive("a RAR archive")),
    (257, b"ustar", Kind::Archive(TAR)),
    (0, b"%PDF", Kind::Other(PDF)),
    (0, b"\x89PNG\r\n\x1a\n", Kind::Other(PNG)),
    (0, b"\xff\xd8\xff", Kind::Other(JPEG)),
    (0, b"GIF8", Kind::Other(GIF)),
    (8, b"WEBP", Kind::Other(WEBP)),
];

/// What a file is by its content; compiled Python by its name, as its first bytes differ from version to version.
fn kind_of(name: &str, bytes: &[u8], is_partial: bool) -> Kind {
    if matches!(ending(name).as_str(), "pyc" | "pyo") && bytes.get(2..4) == Some(b"\r\n") {
        return Kind::Program(PYC);
    }
    let begins =
        |(at, beginning, _): &&(usize, &[u8], Kind)| bytes.get(*at..).is_some_and(|rest| rest.starts_with(beginning));
    if let Some((_, _, kind)) = BEGINNINGS.iter().find(begins) {
        // A text may begin with the letters MZ or BZh.
        if !matches!(*kind, Kind::Program(PE) | Kind::Archive("bzip2 data")) || bytes.contains(&0) {
            return *kind;
        }
    }
    if bytes.contains(&0) || decode_utf8(bytes, is_partial).is_err() { Kind::Other(BINARY) } else { Kind::Text }
}

/// What a file with this name should be. `None` if the name says nothing that could be checked.
fn expected(name: &str) -> Option<&'static str> {
    Some(match ending(name).as_str() {
        "md" | "txt" | "sh" | "bash" | "zsh" | "py" | "js" | "mjs" | "cjs" | "ts" | "tsx" | "jsx" | "rb" | "pl"
        | "ps1" | "bat" | "json" | "yaml" | "yml" | "toml" | "xml" | "html" | "css" | "csv" | "tsv" | "svg" | "ini"
        | "cfg" | "sql" | "r" | "lua" | "rs" | "go" | "java" | "c" | "h" | "cpp" | "cs" | "swift" | "kt" | "php" => {
            TEXT
        }
        "zip" | "skill" | "jar" | "whl" => ZIP,
        _ if is_document(name) => ZIP,
        "gz" | "tgz" => GZIP,
        "tar" => TAR,
        "pdf" => PDF,
        "png" => PNG,
        "jpg" | "jpeg" => JPEG,
        "gif" => GIF,
        "webp" => WEBP,
        "pyc" | "pyo" => PYC,
        "class" => CLASS,
        "wasm" => WASM,
        _ => return None,
    })
}

/// Whether a file with this name is a document for people, although it is a zip archive inside, and no surprise.
fn is_document(name: &str) -> bool {
    matches!(
        ending(name).as_str(),
        "docx" | "xlsx" | "pptx" | "dotx" | "xltx" | "potx" | "odt" | "ods" | "odp" | "epub"
    )
}

fn ending(name: &str) -> String {
    let (_, file) = name.rsplit_once('/').unwrap_or(("", name));
    file.rsplit_once('.').map_or_else(String::new, |(_, ending)| ending.to_ascii_lowercase())
}
