//! How long there is between two looks: as long as the user says at first, and twice as long each time that nothing
//! has happened. Absent: any clock.

use std::time::Duration;

/// The longest pause, unless the user wants a longer one.
const LONGEST: Duration = Duration::from_secs(30);

/// The pause after a look, by the one before it and whether something has happened since: a change, or a request.
pub(super) fn next_interval(usual: Duration, last: Duration, has_happened: bool) -> Duration {
    match has_happened {
        true => usual,
        false => last.saturating_mul(2).clamp(usual, LONGEST.max(usual)),
    }
}

#[cfg(test)]
#[path = "../../../../tests/unit/pace.rs"]
mod tests;
