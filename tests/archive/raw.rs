//! Zips as no well-meaning program writes them: entry by entry, with whatever each shall say.
#![allow(dead_code, reason = "each test binary uses a part")]

/// An entry, as it is told in the directory; `local` is how it is told at its place.
#[derive(Clone, Debug)]
pub(crate) struct Raw {
    pub(crate) told: Told,
    pub(crate) local: Option<Told>,
    /// The bytes at its place.
    pub(crate) data: Vec<u8>,
    pub(crate) mode: u32,
    /// Where the directory says that it is; by default where it is.
    pub(crate) offset: Option<u32>,
    pub(crate) is_named: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Told {
    pub(crate) name: Vec<u8>,
    pub(crate) flags: u16,
    pub(crate) method: u16,
    pub(crate) crc: u32,
    pub(crate) packed: u32,
    pub(crate) len: u32,
}

/// A file, stored.
pub(crate) fn file(name: impl AsRef<[u8]>, text: impl AsRef<[u8]>) -> Raw {
    let data = text.as_ref().to_vec();
    let len = data.len() as u32;
    let told = Told { name: name.as_ref().to_vec(), flags: 0, method: 0, crc: crc32(&data), packed: len, len };
    Raw { told, local: None, data, mode: 0o100_644, offset: None, is_named: true }
}

/// A file in DEFLATE, as one block that is stored.
pub(crate) fn deflated(name: &str, text: &str) -> Raw {
    let mut raw = file(name, text);
    let len = text.len() as u16;
    raw.data = [&[1][..], &len.to_le_bytes(), &(!len).to_le_bytes(), text.as_bytes()].concat();
    raw.told.method = 8;
    raw.told.packed = raw.data.len() as u32;
    raw
}

impl Raw {
    pub(crate) fn told(mut self, change: impl FnOnce(&mut Told)) -> Raw {
        change(&mut self.told);
        self
    }

    /// Only at its place it is told otherwise.
    pub(crate) fn local(mut self, change: impl FnOnce(&mut Told)) -> Raw {
        let mut local = self.told.clone();
        change(&mut local);
        self.local = Some(local);
        self
    }

    pub(crate) fn mode(mut self, mode: u32) -> Raw {
        self.mode = mode;
        self
    }
}

pub(crate) fn build(entries: &[Raw]) -> Vec<u8> {
    let (mut out, mut directory, mut count) = (Vec::new(), Vec::new(), 0_u16);
    for raw in entries {
        let at = out.len() as u32;
        let local = raw.local.as_ref().unwrap_or(&raw.told);
        out.extend(b"PK\x03\x04\x14\0");
        tell(&mut out, local);
        out.extend(&local.name);
        out.extend(&raw.data);
        if raw.is_named {
            count += 1;
            directory.extend(b"PK\x01\x02\x14\x03\x14\0");
            tell(&mut directory, &raw.told);
            directory.extend([0; 6]);
            directory.extend((raw.mode << 16).to_le_bytes());
            directory.extend(raw.offset.unwrap_or(at).to_le_bytes());
            directory.extend(&raw.told.name);
        }
    }
    let (start, size) = (out.len() as u32, directory.len() as u32);
    out.extend(directory);
    out.extend(end(count, size, start));
    out
}

pub(crate) fn end(count: u16, size: u32, start: u32) -> Vec<u8> {
    let mut out = b"PK\x05\x06\0\0\0\0".to_vec();
    out.extend(count.to_le_bytes());
    out.extend(count.to_le_bytes());
    out.extend(size.to_le_bytes());
    out.extend(start.to_le_bytes());
    out.extend([0; 2]);
    out
}

/// What stands alike in both headers, up to the name.
fn tell(out: &mut Vec<u8>, told: &Told) {
    out.extend(told.flags.to_le_bytes());
    out.extend(told.method.to_le_bytes());
    out.extend([0, 0, 0x21, 0]);
    out.extend(told.crc.to_le_bytes());
    out.extend(told.packed.to_le_bytes());
    out.extend(told.len.to_le_bytes());
    out.extend((told.name.len() as u16).to_le_bytes());
    out.extend([0; 2]);
}

pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    let bit = |crc: u32, _| if crc & 1 == 1 { 0xedb8_8320 ^ (crc >> 1) } else { crc >> 1 };
    !bytes.iter().fold(u32::MAX, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), bit))
}
