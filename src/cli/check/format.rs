//! The formats of `check`: text for people, JSON, SARIF for code scanning, and commands of a GitHub workflow.

use crate::baseline::Compared;
use crate::command_line::is_quiet;
use crate::fix::Fixes;
use crate::output::{by_code, findings, github, sarif, snippet, text};
use crate::reply::{Exit, Failure, Output, Reply, Screen};
use crate::setup::Setup;
use clap::ValueEnum;
use skilltree::{Diagnostic, Json, Severity};

/// How the findings are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Blocks with the line and a caret, and a summary
    #[default]
    Text,
    /// One JSON document, as with --json
    Json,
    /// A SARIF 2.1.0 log, which code scanning and editors read
    Sarif,
    /// Workflow commands that annotate files on GitHub, with a summary on standard error
    Github,
}

impl Format {
    /// The format to use if `--json` is given or not.
    ///
    /// # Errors
    /// If `--json` is given with another format.
    pub(super) fn chosen(format: Option<Format>, json: bool) -> Result<Format, Failure> {
        match (format, json) {
            (None, true) => Ok(Format::Json),
            (Some(other), true) if other != Format::Json => {
                let name = other.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
                Err(Failure::error("usage", format!("`--json` cannot be used with `--format {name}`")))
            }
            (format, _) => Ok(format.unwrap_or_default()),
        }
    }

    /// Prints what was mended and the findings that are left. The exit code is 1 if one of them is an error.
    pub(super) fn reply(self, setup: &Setup, compared: &Compared, fixes: Fixes, screen: Screen) -> Reply {
        let found = compared.findings.as_slice();
        let is_error = |finding: &&Diagnostic| finding.severity == Severity::Error;
        let errors: Vec<Diagnostic> = found.iter().filter(is_error).cloned().collect();
        let (shown, by_code) = match is_quiet() {
            true => (errors.as_slice(), String::new()),
            false => (found, by_code::summary(found)),
        };
        let counted = findings::counted(found);
        let summary = format!("{by_code}{counted}\n");
        let reply = match self {
            Format::Text => match fixes.diff {
                // Only a terminal obeys control characters; `patch` needs the text as it is.
                Some(diff) if screen.width.is_some() => {
                    Reply::new(Output::Exact(text::lines(&diff).into_owned())).with_stderr(&format!("{counted}\n"))
                }
                Some(diff) => Reply::new(Output::Exact(diff)).with_stderr(&format!("{counted}\n")),
                None => {
                    let blocks = snippet::blocks(setup.files(), shown);
                    Reply::new(screen.messages_output(fixes.shown + &blocks + &summary))
                }
            },
            Format::Json => {
                let json = Json::map([("findings", Diagnostic::all_to_json(&setup.fs, found))]);
                let json = json.with("fixed", fixes.json).with("baseline", compared.json.clone());
                let failed = (!errors.is_empty()).then(|| Failure::negative("check-failed", counted));
                Reply::json(&match fixes.failure.as_ref().or(failed.as_ref()) {
                    None => json,
                    Some(failure) => failure.add_to_json(json),
                })
            }
            Format::Sarif => Reply::json(&sarif::log(setup, found)).with_stderr(&(fixes.shown + &summary)),
            Format::Github => {
                let commands = screen.text_output(github::commands(setup, shown));
                Reply::new(commands).with_stderr(&(fixes.shown + &summary))
            }
        };
        let exit = if errors.is_empty() { Exit::Success } else { Exit::Negative };
        reply.with_exit(fixes.failure.map_or(exit, |failure| failure.exit()))
    }
}
