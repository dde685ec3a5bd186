//! Replaces lines of a text, and remembers which lines of the original text were replaced.

use crate::diagnostic::Fix;

/// A text as lines. Line endings, the byte order mark and the end of the last line stay as they are.
#[derive(Clone, Debug)]
pub(super) struct Lines {
    has_mark: bool,
    lines: Vec<Line>,
    /// The numbers of the replaced lines of the original, ascending.
    replaced: Vec<usize>,
}

#[derive(Clone, Debug)]
struct Line {
    /// The line without its line feed, but with its carriage return.
    text: String,
    /// The first and the last line of the original that it stands for.
    origin: (usize, usize),
}

const MARK: char = '\u{feff}';

impl Lines {
    pub(super) fn new(text: &str) -> Lines {
        let unmarked = text.strip_prefix(MARK);
        let numbered = (1..).zip(unmarked.unwrap_or(text).split('\n'));
        let lines = numbered.map(|(number, text)| Line { text: text.to_owned(), origin: (number, number) });
        Lines { has_mark: unmarked.is_some(), lines: lines.collect(), replaced: Vec::new() }
    }

    pub(super) fn text(&self) -> String {
        let lines: Vec<&str> = self.lines.iter().map(|line| line.text.as_str()).collect();
        let mark = if self.has_mark { MARK.to_string() } else { String::new() };
        mark + &lines.join("\n")
    }

    /// The numbers of the lines of the original that were replaced, ascending.
    pub(super) fn replaced(&self) -> &[usize] {
        &self.replaced
    }

    /// The lines that a fix replaces, without their endings, separated by line feeds. `None` if they do not exist.
    pub(super) fn before(&self, fix: &Fix) -> Option<String> {
        let lines = self.lines.get(fix.line.checked_sub(1)?..fix.last)?;
        Some(lines.iter().map(|line| without_return(&line.text)).collect::<Vec<_>>().join("\n"))
    }

    /// The lines without their endings, each with its number.
    pub(super) fn numbered(&self) -> impl Iterator<Item = (usize, &str)> {
        (1..).zip(self.lines.iter().map(|line| without_return(&line.text)))
    }

    /// The text with some lines replaced. The fixes are in ascending order and do not overlap.
    pub(super) fn with(&self, fixes: &[&Fix]) -> Lines {
        let mut new = self.clone();
        // From the last to the first, so that lines keep their numbers.
        for fix in fixes.iter().rev() {
            new.apply(fix);
        }
        new.replaced.sort_unstable();
        new.replaced.dedup();
        new
    }

    fn apply(&mut self, fix: &Fix) {
        let Some(from) = fix.line.checked_sub(1).filter(|from| *from < fix.last && fix.last <= self.lines.len()) else {
            return;
        };
        let is_end = fix.last == self.lines.len();
        let ends_in_return = |line: &Line| line.text.ends_with('\r');
        let last_returns = ends_in_return(&self.lines[fix.last - 1]);
        let returns = last_returns || self.lines.first().is_some_and(ends_in_return);
        let mut with: Vec<String> = match fix.with.is_empty() {
            // The text still ends in the line ending before the removed lines.
            true if is_end => vec![String::new()],
            true => Vec::new(),
            false => fix.with.split('\n').map(str::to_owned).collect(),
        };
        let count = with.len();
        for (n, line) in with.iter_mut().enumerate() {
            if if n + 1 == count { last_returns } else { returns } {
                line.push('\r');
            }
        }
        // Lines that stay as they are keep their numbers.
        let old = &self.lines[from..fix.last];
        let head = old.iter().zip(&with).take_while(|(old, new)| old.text == **new).count();
        let tails = old[head..].iter().rev().zip(with[head..].iter().rev());
        let tail = tails.take_while(|(old, new)| old.text == **new).count();
        let (start, end) = (from + head, fix.last - tail);
        let changed = &self.lines[start..end];
        let Some(origin) = changed.first().zip(changed.last()).map(|(first, last)| (first.origin.0, last.origin.1))
        else {
            // Lines are inserted, which the line before them is named for.
            let origin = self.lines.get(start.saturating_sub(1)).map_or((1, 1), |line| line.origin);
            return self.splice((start, end), &with[head..count - tail], origin);
        };
        self.splice((start, end), &with[head..count - tail], origin);
    }

    fn splice(&mut self, (start, end): (usize, usize), with: &[String], origin: (usize, usize)) {
        if start == end && with.is_empty() {
            return;
        }
        self.replaced.extend(origin.0..=origin.1);
        self.lines.splice(start..end, with.iter().map(|text| Line { text: text.clone(), origin }));
    }
}

fn without_return(line: &str) -> &str {
    line.strip_suffix('\r').unwrap_or(line)
}
