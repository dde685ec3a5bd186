//! Finds the commands in the body of a skill (rule 13.7): `` !`command` `` at the start of a line or after white space,
//! and the lines between ` ```! ` and the next ` ``` `.

use super::EmbeddedCommand;

const OPEN: &str = "```!";
const CLOSE: &str = "```";

/// The commands of a body, in order. Its lines end with LF.
pub(crate) fn find(body: &str) -> Vec<EmbeddedCommand> {
    let mut commands = Vec::new();
    let mut at = 0;
    // After one fence without an end there is no search for others, so that the time stays linear.
    let mut may_close = true;
    while let Some(line) = body.get(at..).and_then(|rest| rest.split_inclusive('\n').next()) {
        if may_close && line.trim() == OPEN {
            if let Some((command, next)) = fenced(body, at, line) {
                commands.extend(command);
                at = next;
                continue;
            }
            may_close = false;
        }
        inline(line, at, &mut commands);
        at += line.len();
    }
    commands
}

/// The command of the fence that starts with this line (`None` if it is blank), and the byte after the fence. Returns
/// `None` if the fence has no end.
fn fenced(body: &str, at: usize, line: &str) -> Option<(Option<EmbeddedCommand>, usize)> {
    let start = at + (line.len() - line.trim_start().len());
    let inside = at + line.len();
    let mut end = inside;
    for line in body.get(inside..)?.split_inclusive('\n') {
        if line.trim() == CLOSE {
            let command = body.get(inside..end)?;
            let command = command.strip_suffix('\n').unwrap_or(command);
            let found = EmbeddedCommand { at: start..end + line.trim_end().len(), command: command.to_owned() };
            return Some(((!command.trim().is_empty()).then_some(found), end + line.len()));
        }
        end += line.len();
    }
    None
}

/// Finds the commands in a line, which starts at this byte of the body.
fn inline(line: &str, start: usize, commands: &mut Vec<EmbeddedCommand>) {
    let mut from = 0;
    while let Some(found) = line.get(from..).and_then(|rest| rest.find("!`")) {
        let at = from + found;
        from = at + 2;
        let stands_apart =
            line.get(..at).is_some_and(|before| before.is_empty() || before.ends_with(char::is_whitespace));
        if !stands_apart {
            continue;
        }
        let Some((command, _)) = line.get(from..).and_then(|rest| rest.split_once('`')) else { return };
        if !command.trim().is_empty() {
            from += command.len() + 1;
            commands.push(EmbeddedCommand { at: start + at..start + from, command: command.to_owned() });
        }
    }
}
