//! [`Digest`], a SHA-256 digest. Computing one requires the feature `digest`.

#[cfg(feature = "digest")]
use sha2::{Digest as _, Sha256};
use std::fmt;

/// A SHA-256 digest. Its text is `sha256:` and 64 lowercase hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    /// The digest of these bytes.
    ///
    /// ```
    /// use skilltree::Digest;
    /// let digest = Digest::of(b"");
    /// assert_eq!(digest.to_string(), "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    /// assert_eq!(Digest::parse(&digest.to_string()), Some(digest));
    /// ```
    #[cfg(feature = "digest")]
    pub fn of(bytes: &[u8]) -> Digest {
        Digest(Sha256::digest(bytes).into())
    }

    /// Whether these bytes have this digest. Always false without the feature `digest`, as it cannot be verified.
    pub fn is_of(&self, bytes: &[u8]) -> bool {
        #[cfg(feature = "digest")]
        let is_same = Digest::of(bytes) == *self;
        #[cfg(not(feature = "digest"))]
        let is_same = {
            let _ = bytes;
            false
        };
        is_same
    }

    /// Parses the text of a digest; `None` for any other text.
    pub fn parse(text: &str) -> Option<Digest> {
        let digits = text.strip_prefix("sha256:").filter(|digits| digits.len() == 64)?.as_bytes();
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = pair.iter().try_fold(0, |byte, digit| Some(byte << 4 | value(*digit)?))?;
        }
        Some(Digest(bytes))
    }
}

fn value(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("sha256:")?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
