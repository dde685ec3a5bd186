//! The command `explain`.

use crate::answer::{Answer, Runner};
use crate::args::NonEmptyText;
use crate::completion::codes;
use crate::output::style::{self, FAINT, HEAD, KEY, paint};
use crate::output::table::table;
use crate::reply::{Failure, Output, Reply};
use anstyle::Style;
use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use skilltree::{Code, Example, Explanation, visible};

/// The arguments of `explain`.
#[derive(Args, Debug)]
pub(crate) struct ExplainArgs {
    /// Code of a finding, such as `name-mismatch` [default: list all codes]
    // An unknown name is not a usage error: the command answers no.
    #[arg(value_parser = NonEmptyText::new(), add = ArgValueCompleter::new(codes))]
    code: Option<String>,
}

impl Runner<'_> {
    pub(crate) fn explain(self, ask: &ExplainArgs) -> Answer {
        let Some(name) = &ask.code else { return Ok(self.codes()) };
        let code = Code::named(name).ok_or_else(|| unknown(name))?;
        if self.json {
            return Ok(Reply::json(&code.to_json()));
        }
        let head = format!("{}: {}\n\n", severity(code), code.as_str());
        let text = match self.screen.width {
            Some(_) => for_terminal(&Explanation::of(code.explanation())),
            None => code.explanation().to_owned(),
        };
        Ok(Reply::new(Output::Styled(head + &text)))
    }

    /// All codes by their names, each with its severity and what it means.
    fn codes(self) -> Reply {
        if self.json {
            return Reply::json(&Code::all_to_json());
        }
        let mut codes = Code::ALL.to_vec();
        codes.sort_unstable_by_key(|code| code.as_str());
        let row = |code: Code| {
            let summary = Explanation::of(code.explanation()).summary;
            vec![code.as_str().to_owned(), code.usual_severity().as_str().to_owned(), summary.to_owned()]
        };
        let rows: Vec<Vec<String>> = codes.into_iter().map(row).collect();
        let head = ["CODE", "SEVERITY", "MEANING"];
        Reply::new(Output::Styled(table(&[KEY, Style::new(), Style::new()], Some(&head), &rows, self.screen.width)))
    }
}

fn severity(code: Code) -> String {
    let severity = code.usual_severity();
    paint(style::of(severity), severity.as_str())
}

fn unknown(name: &str) -> Failure {
    let similar = Code::similar(name);
    let similar: Vec<String> = similar.iter().map(|code| format!("`{code}`")).collect();
    let hint = if similar.is_empty() { String::new() } else { format!("; did you mean {}?", similar.join(", ")) };
    Failure::negative("unknown-code", format!("there is no code `{}`{hint}", visible(name)))
        .with_help("`skilltree explain` lists all codes".to_owned())
}

/// The text with its headings in bold and the examples indented.
fn for_terminal(explained: &Explanation<'_>) -> String {
    let mut rules: Vec<&str> = explained.bad.dialect.into_iter().collect();
    if explained.bad.strict {
        rules.push("strict");
    }
    let rules = if rules.is_empty() { String::new() } else { format!(" ({})", rules.join(", ")) };
    let rest = explained.text.strip_prefix(explained.summary).unwrap_or(explained.text);
    let bad = paint(HEAD, &format!("Bad{rules}:"));
    let good = paint(HEAD, "Good:");
    format!(
        "{}{rest}\n\n{bad}\n{}\n{good}\n{}",
        paint(HEAD, explained.summary),
        indented(&explained.bad),
        indented(&explained.good)
    )
}

fn indented(example: &Example<'_>) -> String {
    let mut out = String::new();
    for (path, text) in &example.files {
        out.push('\n');
        if !path.is_empty() {
            out.push_str(&format!("  {}\n", paint(FAINT, path)));
        }
        for line in text.lines() {
            out.push_str(&if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") });
        }
    }
    out
}
