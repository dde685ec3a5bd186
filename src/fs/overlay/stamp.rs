//! Combines the stamps of layers into one, which changes if one of them or the set of layers changes.

use crate::fs::{FileKind, Metadata, Stamp};

/// A folder that is there because a layer has its place below it: it never changes.
pub(super) const FIXED_DIR: Metadata =
    Metadata { kind: FileKind::Dir, is_symlink: false, len: 0, stamp: Some(Stamp([0; 5])) };

/// An odd number with its bits well mixed: the golden ratio of 64 bits.
const ODD: u64 = 0x9e37_79b9_7f4a_7c15;

/// The stamp of several layers, each with its number. Of one layer no two stamps give the same.
pub(super) fn joined(stamps: impl IntoIterator<Item = (usize, Stamp)>) -> Stamp {
    let mut joined = [0_u64; 5];
    for (layer, stamp) in stamps {
        let layer = (layer as u64 + 1).wrapping_mul(ODD);
        for (word, new) in joined.iter_mut().zip(stamp.0) {
            *word = (*word ^ new ^ layer).wrapping_mul(ODD).rotate_left(29);
        }
    }
    Stamp(joined)
}
