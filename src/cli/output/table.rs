//! Formats rows as aligned columns that fit the width of the terminal.

use super::style::{HEAD, KEY};
use super::text::{cut, width};
use anstyle::Style;
use std::borrow::Cow;
use std::fmt::Write as _;

/// Maximum width to which a column is padded, so that one very long cell does not widen all rows.
const MAX_PADDED: usize = 40;
/// Minimum width of the last column, as long as the other columns can be narrowed.
const MIN_LAST: usize = 16;
/// Minimum width to which the other columns are narrowed.
const MIN_PADDED: usize = 10;
/// A cell is left out if it would have less space than this.
const MIN_ROOM: usize = 4;
const GAP: usize = 2;

/// Calls a function with each row; may be called more than once. Each row has one single-line cell per style, escaped
/// for a terminal. Columns in the style of keys are cut only at the edge of the terminal, as a shortened key is
/// useless.
type Rows<'a> = &'a dyn Fn(&mut dyn FnMut(&[Cow<'_, str>]));

/// Formats the rows as one text.
pub(crate) fn table(styles: &[Style], head: Option<&[&str]>, rows: &[Vec<String>], screen: Option<usize>) -> String {
    marked_table(styles, head, rows, screen, None)
}

/// Formats the rows as one text. What `mark` gives for a cell is printed in place of what is shown of it.
pub(crate) fn marked_table(
    styles: &[Style],
    head: Option<&[&str]>,
    rows: &[Vec<String>],
    screen: Option<usize>,
    mark: Option<Mark<'_>>,
) -> String {
    let mut out = String::new();
    let each = |row: &mut dyn FnMut(&[Cow<'_, str>])| {
        for cells in rows {
            row(&cells.iter().map(|cell| Cow::Borrowed(cell.as_str())).collect::<Vec<_>>());
        }
    };
    lines(styles, head, &each, screen, mark, &mut |line| out.push_str(line));
    out
}

/// The same text with other styles than those of its column: from the cells of the row, the column, and what is shown of
/// the cell there.
type Mark<'a> = &'a dyn Fn(&[Cow<'_, str>], usize, &str) -> Option<String>;

/// Prints the rows line by line, with other styles for the cells that `mark` names.
pub(crate) fn lines(
    styles: &[Style],
    head: Option<&[&str]>,
    rows: Rows<'_>,
    screen: Option<usize>,
    mark: Option<Mark<'_>>,
    out: &mut dyn FnMut(&str),
) {
    let mut widths = vec![0; styles.len()];
    let mut widen = |row: &[Cow<'_, str>]| {
        for ((widest, cell), style) in widths.iter_mut().zip(row).zip(styles) {
            // On a terminal, long cells are cut, except keys.
            match width(cell) {
                cell if cell <= MAX_PADDED => *widest = cell.max(*widest),
                _ if screen.is_some() && *style != KEY => *widest = MAX_PADDED,
                _ => {}
            }
        }
    };
    let head: Option<Vec<Cow<'_, str>>> = head.map(|cells| cells.iter().map(|&cell| cell.into()).collect());
    if let Some(head) = &head {
        widen(head);
    }
    rows(&mut widen);
    if let Some(screen) = screen {
        narrow(&mut widths, screen);
    }
    let mut text = String::new();
    if let Some(head) = &head {
        line(&vec![HEAD; styles.len()], head, &widths, screen, None, &mut text);
        out(&text);
    }
    rows(&mut |row| {
        text.clear();
        line(styles, row, &widths, screen, mark, &mut text);
        out(&text);
    });
}

/// Narrows the widest columns until the last column has enough space.
fn narrow(widths: &mut [usize], screen: usize) {
    let Some((last, others)) = widths.split_last_mut() else { return };
    let wanted = (*last).min(MIN_LAST);
    while screen < others.iter().map(|width| width + GAP).sum::<usize>() + wanted {
        match others.iter_mut().max() {
            Some(widest) if MIN_PADDED < *widest => *widest -= 1,
            _ => break,
        }
    }
}

fn line(
    styles: &[Style],
    row: &[Cow<'_, str>],
    widths: &[usize],
    screen: Option<usize>,
    mark: Option<Mark<'_>>,
    out: &mut String,
) {
    // The column after the last printed cell, and the column where the next cell begins.
    let (mut used, mut next) = (0, 0);
    for (place, ((cell, style), widest)) in row.iter().zip(styles).zip(widths).enumerate() {
        // A column that is empty in every row is left out.
        if *widest == 0 && cell.is_empty() {
            continue;
        }
        let start = if used == 0 { next } else { next.max(used + GAP) };
        let is_last = place + 1 == styles.len();
        let shown = match screen {
            None => Cow::Borrowed(&**cell),
            Some(screen) => {
                let room = screen.saturating_sub(start);
                let own = if *style == KEY || is_last { room } else { room.min(*widest) };
                if 0 < start && room < MIN_ROOM { Cow::Borrowed("") } else { cut(cell, own) }
            }
        };
        if !shown.is_empty() {
            out.extend(std::iter::repeat_n(' ', start - used));
            match mark.and_then(|mark| mark(row, place, &shown)) {
                Some(marked) => out.push_str(&marked),
                None if *style == Style::new() => out.push_str(&shown),
                // Writing to a `String` cannot fail.
                None => _ = write!(out, "{style}{shown}{style:#}"),
            }
            used = start + width(&shown);
        }
        next = start + widest + GAP;
    }
    out.push('\n');
}
