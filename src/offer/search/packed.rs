//! A word in a field of a skill, and how several of them are kept in few bytes.

use super::SearchField;

/// A number, a field and a count in 32 bits: the number of a word or of a skill, and how often the one is in the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct InField(u32);

/// More than sixteen million words or skills are not told apart, and answers are wrong then.
const NUMBER_BITS: u32 = 24;
const MOST_NUMBER: u32 = (1 << NUMBER_BITS) - 1;
const COUNT_BITS: u32 = 5;
/// More occurrences count as so many: by then, one more hardly counts.
const MOST_COUNTED: u32 = (1 << COUNT_BITS) - 1;
/// What is above the number of a word of a body, but for the count.
const BODY: u32 = (SearchField::Body as u32) << COUNT_BITS;
/// How many bits of a packed number say how often a word of a body occurs; none of them is set in other fields and for higher
/// counts, which are in a byte behind it.
const SHORT_BITS: u32 = 2;
const MOST_SHORT: u32 = (1 << SHORT_BITS) - 1;

/// In place of the number before the first one that is packed.
pub(super) const NONE_BEFORE: u32 = u32::MAX;

impl InField {
    pub(super) fn new(number: u32, field: SearchField, count: u32) -> InField {
        InField(number | ((field as u32) << COUNT_BITS | count.min(MOST_COUNTED)) << NUMBER_BITS)
    }

    /// The same field and count with another number.
    pub(super) fn with(self, number: u32) -> InField {
        InField(self.0 & !MOST_NUMBER | number)
    }

    pub(super) fn number(self) -> u32 {
        self.0 & MOST_NUMBER
    }

    pub(super) fn count(self) -> u32 {
        self.0 >> NUMBER_BITS & MOST_COUNTED
    }

    /// The place of the field in [`SearchField::ALL`].
    pub(super) fn field(self) -> usize {
        (self.0 >> (NUMBER_BITS + COUNT_BITS)) as usize
    }

    /// Calls a function with the bytes that it takes behind one with the number `before`. Nearly all are of bodies, and in order:
    /// of these, the difference of the numbers and the count are one number, seven bits a byte, the lowest first.
    pub(super) fn pack(self, before: u32, mut each: impl FnMut(u8)) {
        let field_and_count = self.0 >> NUMBER_BITS;
        let short = field_and_count.checked_sub(BODY).filter(|count| *count <= MOST_SHORT).unwrap_or_default();
        let mut rest = (self.number().wrapping_sub(before) & MOST_NUMBER) << SHORT_BITS | short;
        while rest > 127 {
            each(rest as u8 | 128);
            rest >>= 7;
        }
        each(rest as u8);
        if short == 0 {
            each(field_and_count as u8);
        }
    }
}

/// What is packed, in its order.
#[derive(Clone, Debug)]
pub(super) struct Unpacked<'a> {
    bytes: std::slice::Iter<'a, u8>,
    before: u32,
}

impl<'a> Unpacked<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Unpacked<'a> {
        Unpacked { bytes: bytes.iter(), before: NONE_BEFORE }
    }
}

impl Iterator for Unpacked<'_> {
    type Item = InField;

    fn next(&mut self) -> Option<InField> {
        let (mut packed, mut bits) = (0, 0);
        loop {
            let byte = *self.bytes.next()?;
            packed |= u32::from(byte & 127) << bits;
            if byte < 128 {
                break;
            }
            bits += 7;
        }
        let field_and_count = match packed & MOST_SHORT {
            0 => u32::from(*self.bytes.next()?),
            count => BODY | count,
        };
        self.before = self.before.wrapping_add(packed >> SHORT_BITS) & MOST_NUMBER;
        Some(InField(self.before | field_and_count << NUMBER_BITS))
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/packed.rs"]
mod tests;
