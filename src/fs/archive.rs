//! [`ArchiveFs`], a file system over the bytes of a zip archive. A file is unpacked only as far as it is read. Names
//! and sizes are judged once, before anything is unpacked, and every refused entry is reported. Symlinks are not
//! followed, and archives inside the archive are plain files. Nothing is written to a disk. Writes archives too: times and
//! modes are fixed, so the same files yield the same bytes on every machine.

use super::flat::{Flat, Node};
use super::{Entry, FilePrefix, Fs, FsError, Metadata, Stamp};
use crate::diagnostic::{Code, Diagnostic, Severity, put_in_order};
use crate::path::FsPath;
use crate::text::escape::visible;
use crate::text::lower::lower;
use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::{TINFLStatus, decompress_to_vec_with_limit};
use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

/// How much an archive may hold. What passes `entries` or `bytes` is no archive to read; what passes the others is an
/// entry that is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArchiveLimits {
    /// How many entries, folders among them.
    pub entries: usize,
    /// How many bytes all files have when unpacked.
    pub bytes: u64,
    /// How many times larger than packed a file may be, where it has more than 1 MiB.
    pub ratio: u64,
    /// How many bytes a name has, its folders included.
    pub name_bytes: usize,
    /// How many names deep a path is.
    pub depth: usize,
}

impl Default for ArchiveLimits {
    /// 10 000 entries, 64 MiB, 200 times, 1 024 bytes, 32 names.
    fn default() -> ArchiveLimits {
        ArchiveLimits { entries: 10_000, bytes: 67_108_864, ratio: 200, name_bytes: 1_024, depth: 32 }
    }
}

/// Why bytes are no archive to read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// There is no directory of a zip at the end.
    #[error("not a zip archive, or a truncated one: no central directory at its end")]
    NotAnArchive,
    /// What the directory says cannot be so, or is not supported.
    #[error("the archive cannot be read: {0}")]
    Damaged(&'static str),
    /// It passes a limit.
    #[error("the archive has {found} {what}, expected at most {limit}")]
    TooMuch {
        /// What there is too much of.
        what: &'static str,
        /// The limit.
        limit: u64,
        /// How much there is.
        found: u64,
    },
}

/// A skill in an archive (a `.skill` file is a zip with one skill's folder), or any zip, with its root at `/`.
///
/// Read from memory, so it needs no disk. A file is unpacked when it is read, and no further than asked for; read
/// whole, its length and CRC-32 are checked against the archive's own values. Entries with hostile names (absolute, `..`,
/// `\`, a drive's letter, NUL, not UTF-8), or of a name already taken or taken in another letter case, are left out; a
/// link is neither file nor folder. An entry that is encrypted, uses an unknown method, overlaps another, or whose two
/// headers disagree cannot be read. [`ArchiveFs::notes`] lists each.
///
/// ```no_run
/// use skilltree::{Fs, FsPath};
/// use skilltree::fs::ArchiveFs;
/// let bytes = std::fs::read("tea.skill")?;
/// let archive = ArchiveFs::new(bytes)?;
/// assert!(archive.notes().is_empty());
/// println!("{:?}", archive.list(&FsPath::root())?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ArchiveFs {
    bytes: Arc<[u8]>,
    tree: Flat<Part>,
    notes: Vec<Diagnostic>,
    stamp: Stamp,
}

impl ArchiveFs {
    /// Reads the directory of a zip, within the usual limits.
    ///
    /// # Errors
    /// [`ArchiveError`] where the bytes are no zip, or have too much in them.
    pub fn new(bytes: impl Into<Arc<[u8]>>) -> Result<ArchiveFs, ArchiveError> {
        ArchiveFs::within(bytes, &ArchiveLimits::default())
    }

    /// Like `new`, with the given limits.
    ///
    /// # Errors
    /// As [`ArchiveFs::new`].
    pub fn within(bytes: impl Into<Arc<[u8]>>, limits: &ArchiveLimits) -> Result<ArchiveFs, ArchiveError> {
        let bytes = bytes.into();
        let (records, start) = records(&bytes, limits)?;
        let (entries, strays) = entries(&bytes, start, &records, limits);
        let refused = |path: FsPath, message: String| {
            Diagnostic::new(Severity::Error, Code::EntryRefused, path, message).help("pack the skill again")
        };
        let refused_entry = |name: &str, what: &str, why: &str| {
            let path = FsPath::root().join(name).unwrap_or_else(|_| FsPath::root());
            refused(path, format!("the entry `{}` of the archive {what}: {why}", visible(name)))
        };
        let stray = |at| {
            let message = "that its directory does not list, so it is not read";
            refused(FsPath::root(), format!("the archive contains an entry at byte {at} {message}"))
        };
        let mut notes: Vec<Diagnostic> = strays.into_iter().map(stray).collect();
        let twins = case_twins(&entries);
        let mut nodes = Vec::with_capacity(entries.len());
        for (n, (name, judged)) in entries.into_iter().enumerate() {
            let what = match judged {
                Err(why) => Some(("is ignored", why)),
                Ok(_) if twins.contains(&n) => {
                    Some(("is ignored", "its name differs from another entry's only in letter case"))
                }
                Ok(node) => {
                    let told = match &node {
                        Node::File(part) => part.fault.map(|why| ("cannot be read", why)),
                        Node::Special => Some(("is not followed", "it is a symlink or another special file")),
                        Node::Folder => None,
                    };
                    nodes.push((Cow::Owned(name.clone()), node));
                    told
                }
            };
            notes.extend(what.map(|(what, why)| refused_entry(&name, what, why)));
        }
        let (tree, others) = Flat::new(FsPath::root(), nodes);
        notes.extend(others.into_iter().map(|(name, why)| refused_entry(&name, "is ignored", why)));
        put_in_order(&mut notes);
        Ok(ArchiveFs { bytes, tree, notes, stamp: super::mem::fresh_stamp() })
    }

    /// What is refused, one error each. The path is that of the entry where it has one, else `/`.
    pub fn notes(&self) -> &[Diagnostic] {
        &self.notes
    }

    /// The files, by name below the root and in byte order, and whether the archive says that each is a program.
    pub fn files(&self) -> impl Iterator<Item = (&str, bool)> {
        self.tree.files().map(|(name, part)| (name, part.executable))
    }
}

/// The entries whose name, or a folder in it, differs in letter case alone from that of an entry which is kept: on
/// many disks they are the same.
fn case_twins(entries: &[Judged]) -> HashSet<usize> {
    let of_case = |name: &str| lower(name).replace('/', "\0");
    let named = entries.iter().enumerate().filter(|(_, (_, judged))| judged.is_ok());
    let mut sorted: Vec<(String, usize, &str)> =
        named.map(|(n, (name, _))| (of_case(name), n, name.as_str())).collect();
    // A folder and all that is in it stand together, as NUL is before any other character.
    sorted.sort_unstable();
    let mut twins = HashSet::new();
    let mut kept: Option<&(String, usize, &str)> = None;
    for next in &sorted {
        let pairs = |(cases, _, name): &(String, usize, &str)| {
            let first = cases.split('\0').zip(name.split('/'));
            let second = next.0.split('\0').zip(next.2.split('/'));
            let mut alike = first.zip(second).take_while(|((one, _), (other, _))| one == other);
            alike.any(|((_, one), (_, other))| one != other)
        };
        if kept.is_some_and(pairs) {
            twins.insert(next.1);
        } else {
            kept = Some(next);
        }
    }
    twins
}

impl Fs for ArchiveFs {
    fn list(&self, dir: &FsPath) -> Result<Vec<Entry>, FsError> {
        self.tree.list(dir)
    }

    fn read(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
        let part = self.tree.file(file)?;
        let bytes = part.unpack(&self.bytes, at_most);
        let bytes = bytes.map_err(|why| FsError::Other { path: file.clone(), message: why.to_owned() })?;
        Ok(FilePrefix { bytes, len: part.len, stamp: Some(self.stamp) })
    }

    fn metadata(&self, path: &FsPath) -> Result<Option<Metadata>, FsError> {
        self.tree.metadata(path, self.stamp, |part| part.len)
    }

    fn canonical(&self, path: &FsPath) -> Result<FsPath, FsError> {
        self.tree.node(path).map(|_| path.clone())
    }
}

/// What stands before an entry's data, an entry in the directory, and the directory's end.
const LOCAL: u32 = 0x0403_4b50;
const CENTRAL: u32 = 0x0201_4b50;
const END: u32 = 0x0605_4b50;
const END_64_PLACE: u32 = 0x0706_4b50;

const LOCAL_BYTES: usize = 30;
const CENTRAL_BYTES: usize = 46;
const END_BYTES: usize = 22;
const END_64_PLACE_BYTES: usize = 20;

struct Record<'b> {
    name: &'b [u8],
    flags: u16,
    method: u16,
    crc: u32,
    packed: u32,
    len: u32,
    offset: u32,
    /// Type and permissions, where the entry was made on Unix.
    mode: Option<u32>,
}

/// The records in the directory's order, and the byte where the directory begins.
fn records<'b>(bytes: &'b [u8], limits: &ArchiveLimits) -> Result<(Vec<Record<'b>>, usize), ArchiveError> {
    let (start, end) = directory(bytes)?;
    let count = usize::from(u16_at(bytes, end + 10).ok_or(ArchiveError::Damaged("its end record is cut off"))?);
    if limits.entries < count {
        return Err(ArchiveError::TooMuch { what: "entries", limit: limits.entries as u64, found: count as u64 });
    }
    let mut records = Vec::with_capacity(count);
    let mut at = start;
    for _ in 0..count {
        let (record, next) =
            record(bytes, at, end).ok_or(ArchiveError::Damaged("its directory has fewer entries than it declares"))?;
        records.push(record);
        at = next;
    }
    if at != end {
        return Err(ArchiveError::Damaged("its directory has more entries than it declares"));
    }
    let found = records.iter().map(|record| u64::from(record.len)).sum();
    if limits.bytes < found {
        return Err(ArchiveError::TooMuch { what: "bytes when unpacked", limit: limits.bytes, found });
    }
    Ok((records, start))
}

/// Where the directory begins and ends. Its end may be followed by a comment, which must not look like another end.
fn directory(bytes: &[u8]) -> Result<(usize, usize), ArchiveError> {
    let last = bytes.len().checked_sub(END_BYTES).ok_or(ArchiveError::NotAnArchive)?;
    let first = last.saturating_sub(usize::from(u16::MAX));
    let is_end = |at: &usize| {
        let comment = u16_at(bytes, at + 20).map(usize::from);
        u32_at(bytes, *at) == Some(END) && comment == Some(last - at)
    };
    let mut ends = (first..=last).rev().filter(is_end);
    let end = ends.next().ok_or(ArchiveError::NotAnArchive)?;
    if ends.next().is_some() {
        return Err(ArchiveError::Damaged("it has two central directories, so its contents are ambiguous"));
    }
    let is_64 = end.checked_sub(END_64_PLACE_BYTES).is_some_and(|at| u32_at(bytes, at) == Some(END_64_PLACE));
    if is_64 || u32_at(bytes, end + 16) == Some(u32::MAX) || u16_at(bytes, end + 10) == Some(u16::MAX) {
        let why = "zip64 is not supported, as a skill is never that large; pack it again without it";
        return Err(ArchiveError::Damaged(why));
    }
    let disks = [4, 6].map(|at| u16_at(bytes, end + at));
    if disks != [Some(0); 2] || u16_at(bytes, end + 8) != u16_at(bytes, end + 10) {
        return Err(ArchiveError::Damaged("multi-part archives are not supported"));
    }
    let [size, start] = [12, 16].map(|at| u32_at(bytes, end + at).and_then(|number| usize::try_from(number).ok()));
    let start = start.filter(|start| size.and_then(|size| start.checked_add(size)) == Some(end));
    Ok((start.ok_or(ArchiveError::Damaged("its directory is not where the archive says it is"))?, end))
}

fn record(bytes: &[u8], at: usize, end: usize) -> Option<(Record<'_>, usize)> {
    let short = |offset: usize| u16_at(bytes, at + offset);
    let long = |offset: usize| u32_at(bytes, at + offset);
    let (name_len, extra_len, comment_len) = (short(28)?, short(30)?, short(32)?);
    let name_at = at + CENTRAL_BYTES;
    let name_end = name_at + usize::from(name_len);
    let next = name_end + usize::from(extra_len) + usize::from(comment_len);
    if long(0)? != CENTRAL || end < next {
        return None;
    }
    let is_unix = matches!(short(4)? >> 8, 3 | 19);
    let record = Record {
        name: bytes.get(name_at..name_end)?,
        flags: short(8)?,
        method: short(10)?,
        crc: long(16)?,
        packed: long(20)?,
        len: long(24)?,
        offset: long(42)?,
        mode: if is_unix { Some(long(38)? >> 16) } else { None },
    };
    Some((record, next))
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..at.checked_add(2)?)?.try_into().ok().map(u16::from_le_bytes)
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at.checked_add(4)?)?.try_into().ok().map(u32::from_le_bytes)
}

/// Up to here a file may be packed as well as it can.
const RATIO_FROM_BYTES: u64 = 1_048_576;

/// Bits of an entry that say: encrypted, in one way or another.
const ENCRYPTED: u16 = 1 | 1 << 6 | 1 << 13;

/// The bit that says: sizes follow the data, and stand only in the directory before it.
const SIZES_LATER: u16 = 1 << 3;

/// An entry as it was judged. The name is the closest text where it is not UTF-8.
type Judged = (String, Result<Node<Part>, &'static str>);

#[derive(Clone, Debug)]
struct Part {
    data: Range<usize>,
    len: u64,
    crc: u32,
    is_stored: bool,
    /// Whether its mode says so.
    executable: bool,
    fault: Option<&'static str>,
}

/// The entries, and the bytes at which there are entries that no record names. `start` is the directory's first byte.
fn entries(bytes: &[u8], start: usize, records: &[Record<'_>], limits: &ArchiveLimits) -> (Vec<Judged>, Vec<usize>) {
    let mut places: Vec<(Range<usize>, usize)> = Vec::new();
    let mut entries: Vec<Judged> = Vec::with_capacity(records.len());
    for (n, record) in records.iter().enumerate() {
        let place = place(bytes, start, record);
        if let Ok((data, offset)) = &place {
            places.push((*offset..data.end, n));
        }
        entries.push(judged(record, place.map(|(data, _)| data), limits));
    }
    places.sort_unstable_by_key(|(place, n)| (place.start, *n));
    let mut strays = Vec::new();
    let mut end = 0;
    for (place, n) in places {
        if place.start < end {
            if let Some((_, Ok(Node::File(part)))) = entries.get_mut(n) {
                part.fault.get_or_insert("it overlaps another entry");
            }
        } else {
            strays.extend(hidden_entry(bytes, end..place.start));
        }
        end = end.max(place.end);
    }
    strays.extend(hidden_entry(bytes, end..start));
    (entries, strays)
}

/// An entry between those that are named.
fn hidden_entry(bytes: &[u8], gap: Range<usize>) -> Option<usize> {
    let at = bytes.get(gap.clone())?.windows(4).position(|four| four == LOCAL.to_le_bytes())?;
    Some(gap.start + at)
}

/// Where the data are, and where their header begins; or why the header cannot be believed.
fn place(bytes: &[u8], start: usize, record: &Record<'_>) -> Result<(Range<usize>, usize), &'static str> {
    const LIES: &str = "its local header does not match the directory";
    let offset = usize::try_from(record.offset).map_err(|_| LIES)?;
    let short = |at: usize| u16_at(bytes, offset.checked_add(at)?);
    let long = |at: usize| u32_at(bytes, offset.checked_add(at)?);
    let read = || {
        let name_at = offset.checked_add(LOCAL_BYTES)?;
        let name_end = name_at + usize::from(short(26)?);
        let data = name_end + usize::from(short(28)?);
        let end = data.checked_add(usize::try_from(record.packed).ok()?)?;
        let is_same = long(0)? == LOCAL
            && bytes.get(name_at..name_end)? == record.name
            && short(8)? == record.method
            && (short(6)? ^ record.flags) & (ENCRYPTED | SIZES_LATER) == 0;
        let agrees = |at: usize, said: u32| Some(long(at)? == said || matches!(long(at)?, u32::MAX));
        let is_sized = record.flags & SIZES_LATER != 0
            || long(14)? == record.crc && agrees(18, record.packed)? && agrees(22, record.len)?;
        (is_same && is_sized && end <= start).then_some((data..end, offset))
    };
    read().ok_or(LIES)
}

fn judged(record: &Record<'_>, data: Result<Range<usize>, &'static str>, limits: &ArchiveLimits) -> Judged {
    let name = String::from_utf8_lossy(record.name);
    let is_folder = name.ends_with('/');
    let plain = name.strip_suffix('/').unwrap_or(&name);
    let plain = plain.strip_prefix("./").unwrap_or(plain).to_owned();
    let kind = record.mode.map_or(0, |mode| mode & 0o170_000);
    let judged = match name_fault(record.name, &plain, limits) {
        Some(why) => Err(why),
        None => match (is_folder, kind) {
            (true, 0 | 0o040_000) if record.len == 0 => Ok(Node::Folder),
            (true, _) => Err("its name is a folder's, but it is a file"),
            (false, 0o040_000) => Err("it is a folder, but its name is a file's"),
            (false, 0 | 0o100_000) => Ok(Node::File(part(record, data, limits))),
            (false, _) => Ok(Node::Special),
        },
    };
    (plain, judged)
}

/// Why a name is refused that other archives may have; what no tree can hold is not asked here.
fn name_fault(raw: &[u8], name: &str, limits: &ArchiveLimits) -> Option<&'static str> {
    let is_drive = |name: &str| matches!(name.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
    match name {
        _ if std::str::from_utf8(raw).is_err() => Some("its name is not UTF-8"),
        _ if name.contains('\\') => Some("its name contains a `\\`"),
        _ if is_drive(name) => Some("its name starts with a drive letter"),
        _ if limits.name_bytes < name.len() => Some("its name is too long"),
        _ if limits.depth < name.split('/').count() => Some("it is nested too deeply"),
        _ => None,
    }
}

fn part(record: &Record<'_>, data: Result<Range<usize>, &'static str>, limits: &ArchiveLimits) -> Part {
    let (len, packed) = (u64::from(record.len), u64::from(record.packed));
    let fault = match (&data, record.method) {
        _ if record.flags & ENCRYPTED != 0 => Some("it is encrypted"),
        (_, method) if method != STORED && method != DEFLATED => Some("its compression method is not DEFLATE"),
        (Err(why), _) => Some(*why),
        (Ok(_), STORED) if len != packed => Some("it is stored uncompressed, but its two lengths differ"),
        _ if RATIO_FROM_BYTES < len && limits.ratio.saturating_mul(packed) < len => {
            Some("its compression ratio is too high")
        }
        _ => None,
    };
    Part {
        data: data.unwrap_or_default(),
        len,
        crc: record.crc,
        is_stored: record.method == STORED,
        executable: record.mode.is_some_and(|mode| mode & 0o111 != 0),
        fault,
    }
}

impl Part {
    /// The first `at_most` bytes. Of the whole, length and checksum are held against what the archive says.
    fn unpack(&self, archive: &[u8], at_most: u64) -> Result<Vec<u8>, &'static str> {
        const CHANGED: &str = "it is damaged: its contents do not match the archive's checksum";
        if let Some(why) = self.fault {
            return Err(why);
        }
        let wanted = self.len.min(at_most);
        let (Some(data), Ok(most)) = (archive.get(self.data.clone()), usize::try_from(wanted)) else {
            return Err(CHANGED);
        };
        let is_whole = wanted == self.len;
        let bytes = match self.is_stored {
            _ if wanted == 0 && !is_whole => Vec::new(),
            true => data.get(..most).unwrap_or(data).to_vec(),
            false if data.is_empty() => return Err(CHANGED),
            false => match decompress_to_vec_with_limit(data, most.saturating_add(usize::from(is_whole))) {
                Ok(bytes) => bytes,
                Err(cut) if cut.status == TINFLStatus::HasMoreOutput => cut.output,
                Err(_) => return Err(CHANGED),
            },
        };
        if bytes.len() as u64 != wanted || is_whole && crc32(&bytes) != self.crc {
            return Err(CHANGED);
        }
        Ok(bytes)
    }
}

/// The methods: as it is, and DEFLATE.
const STORED: u16 = 0;
const DEFLATED: u16 = 8;

/// What is needed to unpack: version 2.0.
const VERSION: u16 = 20;
/// Made on Unix, so that the mode counts.
const MADE_ON: u16 = 3 << 8 | VERSION;
const UTF_8: u16 = 1 << 11;
/// The first of January 1980, midnight: the earliest there is.
const DATE: u16 = 1 << 5 | 1;
/// As small as it gets.
const LEVEL: u8 = 9;

pub(crate) struct ZipFile {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    /// Its mode is 755, not 644.
    pub(crate) executable: bool,
}

/// Packs files; `None` if there is more than a zip file can hold.
pub(crate) fn zip(files: &[ZipFile]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut directory = Vec::new();
    for file in files {
        let deflated = compress_to_vec(&file.bytes, LEVEL);
        let (method, data) =
            if deflated.len() < file.bytes.len() { (DEFLATED, &deflated) } else { (STORED, &file.bytes) };
        let [offset, packed, len] = [out.len(), data.len(), file.bytes.len()].map(|number| u32::try_from(number).ok());
        let name = u16::try_from(file.name.len()).ok()?;
        let mode: u32 = if file.executable { 0o100_755 } else { 0o100_644 };
        let mut both = Vec::new();
        shorts(&mut both, [VERSION, UTF_8, method, 0, DATE]);
        longs(&mut both, [crc32(&file.bytes), packed?, len?]);
        shorts(&mut both, [name, 0]);

        longs(&mut out, [LOCAL]);
        out.extend_from_slice(&both);
        out.extend_from_slice(file.name.as_bytes());
        out.extend_from_slice(data);

        longs(&mut directory, [CENTRAL]);
        shorts(&mut directory, [MADE_ON]);
        directory.extend_from_slice(&both);
        shorts(&mut directory, [0; 3]);
        longs(&mut directory, [mode << 16, offset?]);
        directory.extend_from_slice(file.name.as_bytes());
    }
    debug_assert!(files.is_empty() || CENTRAL_BYTES < directory.len());
    let count = u16::try_from(files.len()).ok().filter(|count| *count < u16::MAX)?;
    let [start, size] = [out.len(), directory.len()].map(|number| u32::try_from(number).ok());
    out.append(&mut directory);
    longs(&mut out, [END]);
    shorts(&mut out, [0, 0, count, count]);
    longs(&mut out, [size?, start?]);
    shorts(&mut out, [0]);
    Some(out)
}

fn shorts<const N: usize>(out: &mut Vec<u8>, numbers: [u16; N]) {
    out.extend(numbers.into_iter().flat_map(u16::to_le_bytes));
}

fn longs<const N: usize>(out: &mut Vec<u8>, numbers: [u32; N]) {
    out.extend(numbers.into_iter().flat_map(u32::to_le_bytes));
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, byte| CRC_TABLE[usize::from((crc as u8) ^ byte)] ^ (crc >> 8))
}

const CRC_TABLE: [u32; 256] = {
    let mut table = [0_u32; 256];
    let mut n = 0;
    while n < 256 {
        let mut crc = n as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 { 0xedb8_8320 ^ (crc >> 1) } else { crc >> 1 };
            bit += 1;
        }
        table[n] = crc;
        n += 1;
    }
    table
};
