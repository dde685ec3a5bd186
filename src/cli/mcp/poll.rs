//! The interval between checks for changes: at first the one that the user has set, and twice as long each time that
//! nothing has happened.

use std::time::Duration;

/// The longest interval, unless the user has set a longer one.
const LONGEST: Duration = Duration::from_secs(30);

/// The interval after a check, from the last one and whether a change or a request has happened since.
pub(super) fn next_interval(usual: Duration, last: Duration, has_happened: bool) -> Duration {
    match has_happened {
        true => usual,
        false => last.saturating_mul(2).clamp(usual, LONGEST.max(usual)),
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/pace.rs"]
mod tests;
