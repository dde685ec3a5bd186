//! Writes tar archives that are packed with gzip, and reads them into memory as trees of files. What is in one is the data of a
//! stranger: it is unpacked within the limits of other archives, and names that lead elsewhere, links and devices are refused.

use crate::verify::data::is_inside;
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use skilltree::fs::ArchiveLimits;
use skilltree::{Code, Diagnostic, FsPath, MemFs, Severity, visible};
use std::collections::HashMap;
use std::io::Read as _;
use tar::{Archive, Builder, EntryType, Header};

/// What an entry of a tar archive takes besides its contents, at most: its header, one with a long name, and padding.
const ENTRY_BYTES: u64 = 4_096;

/// What files that gzip has packed begin with.
pub(crate) const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The files in an archive, and what is refused, with paths below the root.
///
/// # Errors
/// Why it cannot be read at all.
pub(crate) fn read(packed: &[u8]) -> Result<(MemFs, Vec<Diagnostic>), String> {
    let limits = ArchiveLimits::default();
    let most = limits.bytes + ENTRY_BYTES * limits.entries as u64;
    let mut bytes = Vec::new();
    let unpacked = MultiGzDecoder::new(packed).take(most + 1).read_to_end(&mut bytes);
    unpacked.map_err(|error| format!("not a file that gzip has packed, or a damaged one: {error}"))?;
    let len = bytes.len() as u64;
    if most < len {
        return Err(format!("the archive has more than {most} bytes when unpacked"));
    }
    if ENTRY_BYTES * limits.ratio < len && limits.ratio.saturating_mul(packed.len() as u64) < len {
        return Err(format!("the archive is more than {} times larger when unpacked", limits.ratio));
    }
    let damaged = |error: std::io::Error| format!("not a tar archive, or a damaged one: {error}");
    let mut tree = Tree { fs: MemFs::new(), spelled: HashMap::new(), notes: Vec::new() };
    for (n, entry) in Archive::new(bytes.as_slice()).entries().map_err(damaged)?.enumerate() {
        let mut entry = entry.map_err(damaged)?;
        if limits.entries <= n {
            return Err(format!("the archive has more than {} entries", limits.entries));
        }
        let kind = entry.header().entry_type();
        if kind == EntryType::XGlobalHeader {
            continue;
        }
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let is_text = std::str::from_utf8(&entry.path_bytes()).is_ok();
        let below = name.strip_prefix("./").unwrap_or(&name).trim_end_matches('/').to_owned();
        if matches!(below.as_str(), "" | ".") && kind.is_dir() {
            continue;
        }
        let fault = if is_text { tree.fault(&below, kind, &limits) } else { Some("its name is not UTF-8") };
        if let Some(fault) = fault {
            tree.refuse(&name, fault);
        } else if kind.is_dir() {
            tree.fs.dir(&format!("/{below}"));
        } else {
            let mut contents = Vec::new();
            entry.read_to_end(&mut contents).map_err(damaged)?;
            tree.fs.file(&format!("/{below}"), contents);
        }
    }
    Ok((tree.fs, tree.notes))
}

struct Tree {
    fs: MemFs,
    /// The names so far, folders among them, by their lower case; and whether each is a file.
    spelled: HashMap<String, (String, bool)>,
    notes: Vec<Diagnostic>,
}

impl Tree {
    /// Why an entry is refused; otherwise its name is taken.
    fn fault(&mut self, name: &str, kind: EntryType, limits: &ArchiveLimits) -> Option<&'static str> {
        if !matches!(kind, EntryType::Regular | EntryType::Continuous | EntryType::Directory) {
            return Some("it is neither a file nor a folder");
        }
        if !is_inside(name) {
            return Some("its name leads out of the archive, or is not one on every system");
        }
        if limits.name_bytes < name.len() || limits.depth < name.split('/').count() {
            return Some("its name is too long or too deep");
        }
        let ends = name.match_indices('/').map(|(at, _)| at).chain([name.len()]);
        let parts: Vec<(&str, bool)> =
            ends.filter_map(|end| Some((name.get(..end)?, end == name.len() && !kind.is_dir()))).collect();
        for (part, is_file) in &parts {
            match self.spelled.get(&part.to_lowercase()) {
                Some((known, _)) if known != part => {
                    return Some("its name differs from another entry's only in letter case");
                }
                Some((_, is_known_file)) if *is_file || *is_known_file => {
                    return Some("its name is that of another entry");
                }
                _ => {}
            }
        }
        self.spelled.extend(parts.iter().map(|(part, is_file)| (part.to_lowercase(), ((*part).to_owned(), *is_file))));
        None
    }

    fn refuse(&mut self, name: &str, why: &str) {
        let path = FsPath::root().join(name).unwrap_or_else(|_| FsPath::root());
        let message = format!("the entry `{}` of the archive is ignored: {why}", visible(name));
        self.notes
            .push(Diagnostic::new(Severity::Error, Code::EntryRefused, path, message).help("pack the skill again"));
    }
}

/// An archive of files with these paths and contents; the same files yield the same bytes. Those that are executable stay so.
///
/// # Errors
/// For a path that the format has no place for.
pub(crate) fn write<'f>(files: impl Iterator<Item = (&'f str, &'f [u8], bool)>) -> std::io::Result<Vec<u8>> {
    let mut builder = Builder::new(GzEncoder::new(Vec::new(), Compression::best()));
    for (path, bytes, is_executable) in files {
        let mut header = Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(if is_executable { 0o755 } else { 0o644 });
        builder.append_data(&mut header, path, bytes)?;
    }
    builder.into_inner()?.finish()
}
