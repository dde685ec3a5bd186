//! Judges each entry of a zip archive by its record in the directory and by its data: a file, a folder, or the reason
//! why it is refused. Unpacks a file as far as it is asked for.

use super::ArchiveLimits;
use super::directory::{LOCAL, LOCAL_BYTES, Record, u16_at, u32_at};
use super::zip::{DEFLATED, STORED, crc32};
use crate::fs::flat::Node;
use miniz_oxide::inflate::{TINFLStatus, decompress_to_vec_with_limit};
use std::ops::Range;

/// Up to here a file may be packed as well as it can.
const RATIO_FROM_BYTES: u64 = 1_048_576;

/// Bits of an entry that say: encrypted, in one way or another.
const ENCRYPTED: u16 = 1 | 1 << 6 | 1 << 13;

/// The bit that says: sizes follow the data, and stand only in the directory before it.
const SIZES_LATER: u16 = 1 << 3;

/// An entry as it was judged. The name is the closest text where it is not UTF-8.
pub(super) struct Judged {
    pub(super) name: String,
    pub(super) judged: Result<Node<Part>, &'static str>,
}

/// A file in the archive.
#[derive(Clone, Debug)]
pub(super) struct Part {
    data: Range<usize>,
    pub(super) len: u64,
    crc: u32,
    is_stored: bool,
    /// Whether its mode says so.
    pub(super) executable: bool,
    /// Why it cannot be read.
    pub(super) fault: Option<&'static str>,
}

/// The entries, and the bytes at which there are entries that no record names. `start` is the directory's first byte.
pub(super) fn entries(
    bytes: &[u8],
    start: usize,
    records: &[Record<'_>],
    limits: &ArchiveLimits,
) -> (Vec<Judged>, Vec<usize>) {
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
            if let Some(Judged { judged: Ok(Node::File(part)), .. }) = entries.get_mut(n) {
                part.fault.get_or_insert("it overlaps another entry");
            }
        } else {
            strays.extend(stray(bytes, end..place.start));
        }
        end = end.max(place.end);
    }
    strays.extend(stray(bytes, end..start));
    (entries, strays)
}

/// An entry between those that are named.
fn stray(bytes: &[u8], gap: Range<usize>) -> Option<usize> {
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
    let plain = name.strip_suffix('/').unwrap_or(&name).to_owned();
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
    Judged { name: plain, judged }
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
    pub(super) fn unpack(&self, archive: &[u8], at_most: u64) -> Result<Vec<u8>, &'static str> {
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
            false => inflated(data, most.saturating_add(usize::from(is_whole))).ok_or(CHANGED)?,
        };
        if bytes.len() as u64 != wanted || is_whole && crc32(&bytes) != self.crc {
            return Err(CHANGED);
        }
        Ok(bytes)
    }
}

/// The first bytes of the packed data; `None` if it is not valid DEFLATE.
fn inflated(data: &[u8], at_most: usize) -> Option<Vec<u8>> {
    if data.is_empty() {
        return None;
    }
    match decompress_to_vec_with_limit(data, at_most) {
        Ok(bytes) => Some(bytes),
        Err(cut) if cut.status == TINFLStatus::HasMoreOutput => Some(cut.output),
        Err(_) => None,
    }
}
