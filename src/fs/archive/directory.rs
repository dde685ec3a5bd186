//! Parses the central directory of a zip archive: the record of each entry, and the position where the directory
//! begins. Nothing is unpacked, and the local headers of the entries are not read.

use super::{ArchiveError, ArchiveLimits};

/// What stands before an entry's data, an entry in the directory, and the directory's end.
pub(super) const LOCAL: u32 = 0x0403_4b50;
pub(super) const CENTRAL: u32 = 0x0201_4b50;
pub(super) const END: u32 = 0x0605_4b50;
const END_64_PLACE: u32 = 0x0706_4b50;

pub(super) const LOCAL_BYTES: usize = 30;
pub(super) const CENTRAL_BYTES: usize = 46;
pub(super) const END_BYTES: usize = 22;
const END_64_PLACE_BYTES: usize = 20;

/// What the directory says of an entry.
pub(super) struct Record<'b> {
    pub(super) name: &'b [u8],
    pub(super) flags: u16,
    pub(super) method: u16,
    pub(super) crc: u32,
    pub(super) packed: u32,
    pub(super) len: u32,
    pub(super) offset: u32,
    /// Type and permissions, where the entry was made on Unix.
    pub(super) mode: Option<u32>,
}

/// The records in the directory's order, and the byte where the directory begins.
pub(super) fn records<'b>(bytes: &'b [u8], limits: &ArchiveLimits) -> Result<(Vec<Record<'b>>, usize), ArchiveError> {
    let (start, end) = directory(bytes)?;
    let count = u16_at(bytes, end + 10).ok_or(ArchiveError::Damaged("its end record is cut off"))?;
    let count = usize::from(count);
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
        return Err(ArchiveError::Damaged(
            "zip64 is not supported, as a skill is never that large; pack it again \
             without it",
        ));
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
    let system = short(4)? >> 8;
    let is_unix = matches!(system, 3 | 19);
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

pub(super) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..at.checked_add(2)?)?.try_into().ok().map(u16::from_le_bytes)
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at.checked_add(4)?)?.try_into().ok().map(u32::from_le_bytes)
}
