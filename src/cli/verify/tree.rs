//! The files of a skill's folder, read within bounds, and what records compute of them: hashes of all files together, and the ids
//! that git gives to files and folders.

use sha1::{Digest as _, Sha1};
use skilltree::fs::FileKind;
use skilltree::{Digest, Fs, FsPath, OsFs};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// A folder with more than this is not compared. No skill that was seen comes near it.
const MAX_FILES: usize = 10_000;
const MAX_FILE_BYTES: u64 = 16 << 20;
const MAX_BYTES: u64 = 128 << 20;
const MAX_DEPTH: usize = 32;

/// Folders that are not entered. No installer copies them, they may be huge, and no record covers what is in them.
pub(crate) const NOT_ENTERED: [&str; 2] = [".git", "node_modules"];

/// A file, with its path below the folder.
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) bytes: Vec<u8>,
    /// Whether the disk says so; false in archives and revisions, which do not tell.
    pub(crate) is_executable: bool,
}

/// The files of a folder.
pub(crate) struct Files {
    /// In byte order of their paths.
    pub(crate) files: Vec<File>,
    /// What is no regular file, or is not entered, in byte order: symlinks, FIFOs, and [`NOT_ENTERED`] with a `/`.
    pub(crate) others: Vec<String>,
}

/// Which line endings a file is hashed with. Git for Windows changes them when it checks files out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Endings {
    AsTheyAre,
    Lf,
    CrLf,
}

impl Endings {
    pub(crate) const ALL: [Endings; 3] = [Endings::AsTheyAre, Endings::Lf, Endings::CrLf];
}

impl Files {
    /// Reads a folder, or the one file that is at this path. Symlinks in a folder are neither followed nor read. If it is on the disk,
    /// the disk tells which files are executable.
    ///
    /// # Errors
    /// Why the folder cannot be read as a whole.
    pub(crate) fn read(fs: &dyn Fs, disk: Option<&OsFs>, folder: &FsPath) -> Result<Files, String> {
        let real = fs.canonical(folder).map_err(|error| error.to_string())?;
        let mut all = Files { files: Vec::new(), others: Vec::new() };
        if fs.metadata(&real).is_ok_and(|found| found.is_some_and(|found| found.kind == FileKind::File)) {
            let read = fs.read(&real, MAX_FILE_BYTES).map_err(|error| error.to_string())?;
            if MAX_FILE_BYTES < read.len {
                return Err(format!("the file has over {MAX_FILE_BYTES} bytes"));
            }
            let is_executable = disk.is_some_and(|disk| is_executable(disk, &real));
            all.files.push(File { path: folder.name().to_owned(), bytes: read.bytes, is_executable });
            return Ok(all);
        }
        let fs = fs.confined(&real).map_err(|error| error.to_string())?;
        let (mut folders, mut left) = (vec![(real.clone(), 0)], MAX_BYTES);
        while let Some((at, depth)) = folders.pop() {
            for entry in fs.list(&at).map_err(|error| error.to_string())? {
                if all.files.len() + all.others.len() + folders.len() >= MAX_FILES {
                    return Err(format!("the folder has over {MAX_FILES} files"));
                }
                let child = at.child(&entry.name).ok().filter(|_| !entry.is_lossy);
                let below = child.as_ref().and_then(|child| child.relative_to(&real)).unwrap_or(&entry.name).to_owned();
                match (child, entry.kind) {
                    (Some(child), FileKind::Dir) if !entry.is_symlink => {
                        if NOT_ENTERED.contains(&entry.name.as_str()) {
                            all.others.push(below + "/");
                        } else if depth == MAX_DEPTH {
                            return Err(format!("the folder is deeper than {MAX_DEPTH} levels"));
                        } else {
                            folders.push((child, depth + 1));
                        }
                    }
                    (Some(child), FileKind::File) if !entry.is_symlink => {
                        let most = MAX_FILE_BYTES.min(left);
                        let read = fs.read_listed(&child, most).map_err(|error| error.to_string())?;
                        if most < read.len {
                            return Err(format!("the folder has files of over {most} bytes"));
                        }
                        left -= read.len;
                        let is_executable = disk.is_some_and(|disk| is_executable(disk, &child));
                        all.files.push(File { path: below, bytes: read.bytes, is_executable });
                    }
                    _ => all.others.push(below),
                }
            }
        }
        all.files.sort_by(|a, b| a.path.cmp(&b.path));
        all.others.sort();
        Ok(all)
    }

    /// A file by its path.
    pub(crate) fn get(&self, path: &str) -> Option<&File> {
        self.files.binary_search_by(|file| file.path.as_str().cmp(path)).ok().and_then(|at| self.files.get(at))
    }

    /// The id that git has for this folder. A record does not say which files are executable, and neither does every place that
    /// files are read from, so that there are several such ids.
    pub(crate) fn git_trees(&self, endings: Endings, is_part: fn(&File) -> bool) -> Vec<String> {
        let modes: [fn(&File) -> bool; 3] =
            [|file| file.is_executable, |_| false, |file| file.bytes.starts_with(b"#!")];
        let part = self.files.iter().filter(|file| is_part(file));
        let blobs: Vec<_> = part.map(|file| (file, object("blob", &with_endings(&file.bytes, endings)))).collect();
        let mut ids: Vec<String> = Vec::new();
        for is_executable in modes {
            let mut root = Folder::new();
            for (file, blob) in &blobs {
                root.place(&file.path, is_executable(file), *blob);
            }
            let id = hex(&root.id());
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        ids
    }
}

#[cfg(unix)]
fn is_executable(disk: &OsFs, path: &FsPath) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let found = std::fs::symlink_metadata(&*disk.display(path));
    found.is_ok_and(|metadata| metadata.permissions().mode() & 0o100 != 0)
}

#[cfg(not(unix))]
fn is_executable(_: &OsFs, _: &FsPath) -> bool {
    false
}

/// The bytes of a file with other line endings. Git changes those of text alone, and leaves a file with a CR as it is when it
/// writes CRLF.
pub(crate) fn with_endings(bytes: &[u8], endings: Endings) -> Cow<'_, [u8]> {
    let has = |byte: u8| bytes.contains(&byte);
    if endings == Endings::AsTheyAre || has(0) {
        return Cow::Borrowed(bytes);
    }
    match endings {
        Endings::Lf if has(b'\r') => {
            let mut out = Vec::with_capacity(bytes.len());
            let mut rest = bytes.iter().peekable();
            while let Some(byte) = rest.next() {
                if !(*byte == b'\r' && rest.peek() == Some(&&b'\n')) {
                    out.push(*byte);
                }
            }
            Cow::Owned(out)
        }
        Endings::CrLf if has(b'\n') && !has(b'\r') => {
            let mut out = Vec::with_capacity(bytes.len() + bytes.len() / 16);
            for line in bytes.split_inclusive(|byte| *byte == b'\n') {
                match line.split_last() {
                    Some((b'\n', text)) => {
                        out.extend_from_slice(text);
                        out.extend_from_slice(b"\r\n");
                    }
                    _ => out.extend_from_slice(line),
                }
            }
            Cow::Owned(out)
        }
        _ => Cow::Borrowed(bytes),
    }
}

/// Text in UTF-8 with LF, and other bytes as they are. A CR that no LF follows is kept.
pub(crate) fn with_lf(bytes: &[u8]) -> Cow<'_, [u8]> {
    if std::str::from_utf8(bytes).is_ok() { with_endings(bytes, Endings::Lf) } else { Cow::Borrowed(bytes) }
}

/// The SHA-256 of all paths and contents, one after the other with nothing between, as hexadecimal digits. Files whose names and
/// contents are divided otherwise have the same hash, so that it shows changes made by mistake, and not every other one.
pub(crate) fn joined_hash<'f>(files: impl IntoIterator<Item = &'f File>, endings: Endings) -> String {
    let mut all = Vec::new();
    for file in files {
        all.extend_from_slice(file.path.as_bytes());
        all.extend_from_slice(&with_endings(&file.bytes, endings));
    }
    digits(&all)
}

/// The SHA-256 of some bytes as hexadecimal digits.
pub(crate) fn digits(bytes: &[u8]) -> String {
    Digest::of(bytes).to_string().trim_start_matches("sha256:").to_owned()
}

/// The order of paths by `localeCompare` of JavaScript, which depends on the tables of Unicode. This is that order for ASCII;
/// other characters come last, by their numbers, which is a guess.
pub(crate) fn locale_order(a: &str, b: &str) -> Ordering {
    let weights = |text: &str| text.chars().map(weight).collect::<Vec<_>>();
    let cases = |text: &str| text.chars().map(|c| c.is_ascii_uppercase()).collect::<Vec<_>>();
    // The case counts only where everything else is equal. A shorter text comes before a longer one that begins with it.
    weights(a).cmp(&weights(b)).then_with(|| cases(a).cmp(&cases(b)))
}

fn weight(c: char) -> u32 {
    const ORDER: &str = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz";
    match ORDER.find(c.to_ascii_lowercase()) {
        // An index of the table is far below the first number of other characters.
        Some(at) => u32::try_from(at).unwrap_or(u32::MAX),
        None => u32::from(c) + 0x100,
    }
}

/// The id of an object of git.
fn object(kind: &str, bytes: &[u8]) -> [u8; 20] {
    let mut hash = Sha1::new();
    hash.update(format!("{kind} {}\0", bytes.len()));
    hash.update(bytes);
    hash.finalize().into()
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A folder of git: each entry by its name.
struct Folder(BTreeMap<String, Placed>);

enum Placed {
    File { is_executable: bool, id: [u8; 20] },
    Folder(Folder),
}

impl Folder {
    fn new() -> Folder {
        Folder(BTreeMap::new())
    }

    fn place(&mut self, path: &str, is_executable: bool, id: [u8; 20]) {
        match path.split_once('/') {
            None => drop(self.0.insert(path.to_owned(), Placed::File { is_executable, id })),
            Some((name, rest)) => {
                let inner = self.0.entry(name.to_owned()).or_insert_with(|| Placed::Folder(Folder::new()));
                if let Placed::Folder(inner) = inner {
                    inner.place(rest, is_executable, id);
                }
            }
        }
    }

    /// Recurses as deep as the files that were read.
    fn id(&self) -> [u8; 20] {
        // Git sorts a folder as if its name ended with `/`.
        let mut entries: Vec<(String, &str, [u8; 20], &str)> = Vec::with_capacity(self.0.len());
        for (name, placed) in &self.0 {
            entries.push(match placed {
                Placed::File { is_executable, id } => {
                    (name.clone(), name, *id, if *is_executable { "100755" } else { "100644" })
                }
                Placed::Folder(folder) => (format!("{name}/"), name, folder.id(), "40000"),
            });
        }
        entries.sort();
        let mut bytes = Vec::new();
        for (_, name, id, mode) in entries {
            bytes.extend_from_slice(format!("{mode} {name}\0").as_bytes());
            bytes.extend_from_slice(&id);
        }
        object("tree", &bytes)
    }
}
