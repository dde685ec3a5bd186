//! Formats findings as commands of a GitHub workflow, which shows them as annotations of the files.

use crate::output::findings::with_help;
use crate::output::location::Location;
use crate::setup::Setup;
use skilltree::{Diagnostic, Fs, Severity};
use std::borrow::Cow;

/// One command for each finding, each on a line of its own.
pub(crate) fn commands(setup: &Setup, findings: &[Diagnostic]) -> String {
    findings.iter().map(|finding| command(setup, finding)).collect()
}

fn command(setup: &Setup, finding: &Diagnostic) -> String {
    let level = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let location = Location::of(setup, finding);
    let file = match setup.below_working_directory(&location.file) {
        Some("") => Cow::Borrowed("."),
        Some(below) => Cow::Borrowed(below),
        None => setup.fs.display(&location.file),
    };
    let mut properties = format!("file={}", property(&file));
    if let Some((at, end)) = location.range {
        let last = end.map_or(at.line, |end| end.line);
        properties.push_str(&format!(",line={},endLine={last},col={}", at.line, at.column));
    }
    let message = location.with_member(&with_help(finding, "\n"));
    format!("::{level} {properties},title={}::{}\n", property(finding.code.as_str()), data(&message))
}

/// Escapes the text of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes the value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
