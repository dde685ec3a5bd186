//! Counts findings by their codes, with the command that explains each code.

use super::style::{self, paint};
use skilltree::{Code, Diagnostic, Severity};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// One line for each severity and code, the most serious and most frequent first: how often it occurs, and the command
/// that explains it.
pub(crate) fn summary(findings: &[Diagnostic]) -> String {
    let mut numbers: BTreeMap<(Severity, Code), usize> = BTreeMap::new();
    for finding in findings {
        *numbers.entry((finding.severity, finding.code)).or_default() += 1;
    }
    let mut rows: Vec<(Severity, usize, &str, String)> = numbers
        .into_iter()
        .map(|((severity, code), number)| {
            let noun = format!("{}{}", severity.as_str(), if number == 1 { "" } else { "s" });
            (severity, number, code.as_str(), noun)
        })
        .collect();
    rows.sort_by_key(|(severity, number, code, _)| (Reverse((*severity, *number)), *code));
    let digits = rows.iter().map(|(_, number, ..)| number.to_string().len()).max().unwrap_or(0);
    let nouns = rows.iter().map(|(.., noun)| noun.len()).max().unwrap_or(0);
    let codes = rows.iter().map(|(_, _, code, _)| code.len()).max().unwrap_or(0);
    rows.iter()
        .map(|(severity, number, code, noun)| {
            let counted = paint(style::of(*severity), &format!("{number:>digits$} {noun:<nouns$}"));
            format!("{counted}  {code:<codes$}  skilltree explain {code}\n")
        })
        .collect()
}
