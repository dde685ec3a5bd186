//! Writes a zip archive of the given names and bytes, in the given order. Times and modes are fixed, so the same files
//! yield the same bytes on every machine.

use super::directory::{CENTRAL, CENTRAL_BYTES, END, LOCAL};
use miniz_oxide::deflate::compress_to_vec;

/// The methods: as it is, and DEFLATE.
pub(super) const STORED: u16 = 0;
pub(super) const DEFLATED: u16 = 8;

/// What is needed to unpack: version 2.0.
const VERSION: u16 = 20;
/// Made on Unix, so that the mode counts.
const MADE_ON: u16 = 3 << 8 | VERSION;
/// Names are UTF-8.
const UTF_8: u16 = 1 << 11;
/// The first of January 1980, midnight: the earliest there is.
const DATE: u16 = 1 << 5 | 1;
/// As small as it gets.
const LEVEL: u8 = 9;

/// A file to be packed.
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

/// The checksum of zips.
pub(super) fn crc32(bytes: &[u8]) -> u32 {
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
