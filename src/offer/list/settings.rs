//! How the settings of the client change the dialect's rule for the prompt.

use crate::dialect::{Budget, PromptRule};
use crate::discovery::catalog::Catalog;
use std::borrow::Cow;

/// The rule for the prompt, and the size of the context window in tokens by which it counts. A share of the window that
/// the settings give replaces that of the dialect: all of a window that is smaller by that share.
pub(super) fn effective(catalog: &Catalog, window: Option<usize>) -> (Cow<'_, PromptRule>, Option<usize>) {
    let (rule, settings) = (&catalog.dialect().prompt, catalog.settings());
    if settings.budget_share.or(settings.max_description).or(settings.max_tokens).is_none() {
        return (Cow::Borrowed(rule), window);
    }
    let mut rule = rule.clone();
    if let Some(tokens) = settings.max_tokens {
        rule.budget = Budget::Tokens { percent: 100, fallback_chars: 0 };
        return (Cow::Owned(rule), Some(tokens));
    }
    rule.max_description = settings.max_description.or(rule.max_description);
    let Some(share) = settings.budget_share else { return (Cow::Owned(rule), window) };
    // Without a window, the dialect's own number of characters grows and shrinks with the share.
    let scaled = |chars: usize, percent: usize| chars.saturating_mul(share) / percent.saturating_mul(10_000).max(1);
    rule.budget = match rule.budget {
        Budget::Tokens { percent, fallback_chars } => {
            Budget::Tokens { percent: 100, fallback_chars: scaled(fallback_chars, percent) }
        }
        Budget::Window { percent, fallback_chars } => {
            Budget::Window { percent: 100, fallback_chars: scaled(fallback_chars, percent) }
        }
        // A budget that is no share of the window has no share to scale.
        Budget::Chars(chars) if window.is_some() => Budget::Window { percent: 100, fallback_chars: chars },
        Budget::Unlimited if window.is_some() => Budget::Window { percent: 100, fallback_chars: usize::MAX },
        budget @ (Budget::Chars(_) | Budget::Unlimited) => budget,
    };
    (Cow::Owned(rule), window.map(|tokens| tokens.saturating_mul(share) / 1_000_000))
}
