//! What a file is by its first bytes, and what it should be by its name.

use crate::text::lines::decode_utf8;

/// What a file is, with a name for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Text in UTF-8.
    Text,
    /// Code for a machine.
    Program(&'static str),
    /// Something that contains files, or is compressed.
    Archive(&'static str),
    /// Anything else.
    Other(&'static str),
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
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

/// What files of these endings are. Endings that are not listed say nothing that could be checked.
const ENDINGS: &[(&[&str], &[&str])] = &[
    (
        &["md", "txt", "sh", "bash", "zsh", "py", "js", "mjs", "cjs", "ts", "tsx", "jsx", "rb", "pl", "ps1", "bat"],
        &[TEXT],
    ),
    (
        &["json", "yaml", "yml", "toml", "xml", "html", "css", "csv", "tsv", "svg", "ini", "cfg", "sql", "r", "lua"],
        &[TEXT],
    ),
    (&["rs", "go", "java", "c", "h", "cpp", "cs", "swift", "kt", "php"], &[TEXT]),
    (
        &["zip", "skill", "jar", "whl", "docx", "xlsx", "pptx", "dotx", "xltx", "potx", "odt", "ods", "odp", "epub"],
        &[ZIP],
    ),
    (&["gz", "tgz"], &[GZIP]),
    (&["tar"], &[TAR]),
    (&["pdf"], &[PDF]),
    (&["png"], &[PNG]),
    (&["jpg", "jpeg"], &[JPEG]),
    (&["gif"], &[GIF]),
    (&["webp"], &[WEBP]),
    (&["pyc", "pyo"], &[PYC]),
    (&["class"], &[CLASS]),
    (&["wasm"], &[WASM]),
];

/// Documents that are zip archives inside, and no surprise.
const DOCUMENTS: &[&str] = &["docx", "xlsx", "pptx", "dotx", "xltx", "potx", "odt", "ods", "odp", "epub"];

/// What a file is by its content; compiled Python by its name, as its first bytes differ from version to version.
pub(super) fn kind_of(name: &str, bytes: &[u8], is_partial: bool) -> Kind {
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

/// What a file with this name should be. Empty if the name does not say it.
pub(super) fn expected(name: &str) -> &'static [&'static str] {
    let ending = ending(name);
    let known = ENDINGS.iter().find(|(endings, _)| endings.contains(&ending.as_str()));
    known.map_or(&[], |(_, kinds)| *kinds)
}

/// Whether a file with this name is a document for people, although it is an archive inside.
pub(super) fn is_document(name: &str) -> bool {
    DOCUMENTS.contains(&ending(name).as_str())
}

fn ending(name: &str) -> String {
    let (_, file) = name.rsplit_once('/').unwrap_or(("", name));
    file.rsplit_once('.').map_or_else(String::new, |(_, ending)| ending.to_ascii_lowercase())
}
