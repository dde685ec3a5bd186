//! The colours, named after their meanings.

use anstyle::{AnsiColor, Style};
use skilltree::Severity;

pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
pub(crate) const NOTE: Style = AnsiColor::Cyan.on_default().bold();
pub(crate) const HEAD: Style = Style::new().bold();
pub(crate) const KEY: Style = AnsiColor::Green.on_default();
pub(crate) const FAINT: Style = Style::new().dimmed();

pub(crate) fn of(severity: Severity) -> Style {
    match severity {
        Severity::Error => ERROR,
        Severity::Warning => WARNING,
        Severity::Note => NOTE,
    }
}

pub(crate) fn paint(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}
