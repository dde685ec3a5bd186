//! Formats the outcomes of `why`, one block each.

use super::style::{FAINT, HEAD, paint};
use super::text::folded;
use crate::hints::with_options;
use skilltree::{Fs, Why, visible};

/// Each outcome with its path, the reason, and advice.
pub(crate) fn why(fs: &dyn Fs, outcomes: &[Why]) -> String {
    let mut out = String::new();
    for one in outcomes {
        let code = one.code.map(|code| paint(FAINT, &format!(" [{code}]"))).unwrap_or_default();
        let path = fs.display(&one.path);
        out.push_str(&format!("{}: {}{code}\n", visible(&path), paint(HEAD, one.outcome.as_str())));
        out.push_str(&format!("  {}\n", folded(&one.message)));
        if let Some(help) = &one.help {
            out.push_str(&format!("  help: {}\n", folded(&with_options(one.code, help))));
        }
    }
    out
}
