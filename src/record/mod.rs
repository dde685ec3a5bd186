//! What is kept of answers. Each file has one question:
//!
//! - `session`: what has a conversation been shown and loaded, and what is put back after it was compacted?
//! - `receipt`: what was an answer made of, and is it the same if it is made again?

#[cfg(feature = "receipts")]
pub(crate) mod receipt;
#[cfg(feature = "digest")]
pub(crate) mod session;

#[cfg(feature = "receipts")]
pub use receipt::{
    Difference, Differing, Question, Receipt, ReceiptError, RecordedAnswer, RecordedRequest, Recorder, Replay,
    ReplayRequest,
};
#[cfg(feature = "digest")]
pub use session::{Event, MissingSkill, ReattachRequest, Reattached, SentText, Session, SessionError, SessionEvent};
