//! In: a body as written, line ends as LF. Out: the commands that it wants run first (decisions 35): `` !`command` ``
//! at the start of a line or after white space, and what stands between a line ` ```! ` and the next ` ``` `.
//! Absent: running them.

use super::Mark;

const OPEN: &str = "```!";
const CLOSE: &str = "```";

/// The commands of a body, in order.
pub(super) fn find(body: &str) -> Vec<Mark> {
    let mut marks = Vec::new();
    let mut at = 0;
    // Once a fence has no end no later one has, so that the whole stays linear.
    let mut may_close = true;
    while let Some(line) = body.get(at..).and_then(|rest| rest.split_inclusive('\n').next()) {
        if may_close && line.trim() == OPEN {
            if let Some((mark, next)) = fenced(body, at, line) {
                marks.extend(mark);
                at = next;
                continue;
            }
            may_close = false;
        }
        inline(line, at, &mut marks);
        at += line.len();
    }
    marks
}

/// The command of the fence that opens at this line, none if it is blank; and where the text goes on.
fn fenced(body: &str, at: usize, line: &str) -> Option<(Option<Mark>, usize)> {
    let start = at + (line.len() - line.trim_start().len());
    let inside = at + line.len();
    let mut end = inside;
    for line in body.get(inside..)?.split_inclusive('\n') {
        if line.trim() == CLOSE {
            let command = body.get(inside..end)?;
            let command = command.strip_suffix('\n').unwrap_or(command);
            let mark = Mark { at: start..end + line.trim_end().len(), command: command.to_owned() };
            return Some(((!command.trim().is_empty()).then_some(mark), end + line.len()));
        }
        end += line.len();
    }
    None
}

/// The commands within a line that starts at this byte of the body.
fn inline(line: &str, start: usize, marks: &mut Vec<Mark>) {
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
            marks.push(Mark { at: start + at..start + from, command: command.to_owned() });
        }
    }
}
