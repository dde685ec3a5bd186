//! In: rows of cells. Out: aligned columns, the last one cut to the terminal's width.
//! Absent: borders and wrapping.

use super::text::{cut, width};
use anstyle::Style;
use std::borrow::Cow;
use std::fmt::Write as _;

/// A column is padded to this many columns at most, so that one endless cell costs its own row alone.
const MAX_PADDED_COLUMNS: usize = 40;
/// What the last column keeps however narrow the terminal is.
const MIN_LAST_COLUMNS: usize = 8;
const GAP: &str = "  ";

/// Rows that can be gone through again and again, each of as many cells as there are styles, of one line each and fit for
/// a terminal.
pub(crate) type Rows<'a> = &'a dyn Fn(&mut dyn FnMut(&[Cow<'_, str>]));

/// The table of these rows as one text.
pub(crate) fn table(styles: &[Style], head: Option<&[&str]>, rows: &[Vec<String>], screen: Option<usize>) -> String {
    let mut out = String::new();
    let each = |row: &mut dyn FnMut(&[Cow<'_, str>])| {
        for cells in rows {
            row(&cells.iter().map(|cell| Cow::Borrowed(cell.as_str())).collect::<Vec<_>>());
        }
    };
    lines(styles, head, &each, screen, &mut |line| out.push_str(line));
    out
}

/// The lines of the table of these rows, one after the other, each with its newline.
pub(crate) fn lines(
    styles: &[Style],
    head: Option<&[&str]>,
    rows: Rows<'_>,
    screen: Option<usize>,
    out: &mut dyn FnMut(&str),
) {
    let mut widths = vec![0; styles.len()];
    let mut widen = |row: &[Cow<'_, str>]| {
        for (widest, cell) in widths.iter_mut().zip(row) {
            let cell = width(cell);
            if cell <= MAX_PADDED_COLUMNS {
                *widest = cell.max(*widest);
            }
        }
    };
    let head: Option<Vec<Cow<'_, str>>> = head.map(|cells| cells.iter().map(|&cell| cell.into()).collect());
    if let Some(head) = &head {
        widen(head);
    }
    rows(&mut widen);
    let mut text = String::new();
    if let Some(head) = &head {
        line(&vec![super::style::HEAD; styles.len()], head, &widths, screen, &mut text);
        out(&text);
    }
    rows(&mut |row| {
        text.clear();
        line(styles, row, &widths, screen, &mut text);
        out(&text);
    });
}

fn line(styles: &[Style], row: &[Cow<'_, str>], widths: &[usize], screen: Option<usize>, out: &mut String) {
    let last = row.iter().rposition(|cell| !cell.is_empty()).unwrap_or(0);
    let mut used = 0;
    for (place, ((cell, style), widest)) in row.iter().zip(styles).zip(widths).enumerate().take(last + 1) {
        let is_last_column = place + 1 == styles.len();
        let room = screen.map(|columns| columns.saturating_sub(used).max(MIN_LAST_COLUMNS));
        let shown = match room {
            Some(room) if is_last_column => cut(cell, room),
            _ => Cow::Borrowed(&**cell),
        };
        // A column that is empty in every row is none.
        if *widest == 0 && shown.is_empty() {
            continue;
        }
        if !shown.is_empty() {
            // Writing to a `String` cannot fail.
            let _ = write!(out, "{style}{shown}{style:#}");
        }
        if place < last {
            let taken = width(&shown);
            let pad = widest.saturating_sub(taken);
            let _ = write!(out, "{:pad$}{GAP}", "");
            used += taken + pad + GAP.len();
        }
    }
    out.push('\n');
}
