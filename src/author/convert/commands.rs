//! The commands in a body: those that the target does not run are listed, and nothing becomes a command that is none in
//! the source (rule 27.3).

use super::placeholders::{Reader, Seen};
use super::{Loss, Original};
use crate::loading::substitute::find_commands;

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// Lists commands that the target does not run, and keeps it from running what is no command in the source.
pub(super) fn commands(
    from: Reader<'_>,
    to: Reader<'_>,
    original: &Original<'_>,
    body: String,
    lost: &mut Vec<Loss>,
) -> String {
    let (from_name, to_name) = (&original.from.name, &original.to.name);
    let mut seen = Seen::default();
    match (from.runs_commands(), to.runs_commands()) {
        (true, false) => {
            find_commands(original.body).iter().for_each(|found| seen.add(first_line(&found.command)));
            seen.report(lost, &format!("`{to_name}` does not run commands in a body, so the text stays as written"));
            body
        }
        (false, true) => {
            let found = find_commands(&body);
            let mut safe = String::with_capacity(body.len() + found.len());
            let mut copied = 0;
            for command in &found {
                seen.add(first_line(&command.command));
                safe.push_str(body.get(copied..command.at.start).unwrap_or_default());
                // In Markdown a backslash before `!` is not shown, and a space before the info string changes nothing.
                let written = body.get(command.at.clone()).unwrap_or_default();
                match written.strip_prefix("```!") {
                    Some(rest) => {
                        safe.push_str("``` !");
                        safe.push_str(rest);
                    }
                    None => {
                        safe.push('\\');
                        safe.push_str(written);
                    }
                }
                copied = command.at.end;
            }
            safe.push_str(body.get(copied..).unwrap_or_default());
            let reason = format!(
                "`{to_name}` would run it, although it is plain text in `{from_name}`, so it is written in a form that \
                 is not run"
            );
            seen.report(lost, &reason);
            safe
        }
        (true, true) | (false, false) => body,
    }
}
