//! In: where to look, and the words of a command. Out: that command as a line for a shell. Absent: what to suggest.

use crate::args::Where;
use crate::suggest;

/// The command as it is typed, which looks at these places.
pub(crate) fn command_line(place: &Where, words: &[&str]) -> String {
    suggest::line(Some(place), words, &[]).trim_matches('`').to_owned()
}
