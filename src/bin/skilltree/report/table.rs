//! In: rows of cells. Out: aligned columns, the last one cut to the terminal's width.
//! Absent: borders and wrapping.

use super::text::{cut, width};
use anstyle::Style;

/// A column is padded to this many columns at most, so that one endless cell costs its own row alone.
const MAX_PADDED_COLUMNS: usize = 40;
/// What the last column keeps however narrow the terminal is.
const MIN_LAST_COLUMNS: usize = 8;
const GAP: &str = "  ";

/// Rows of as many cells as there are styles. The cells are one line each and fit for a terminal.
pub(crate) fn table(styles: &[Style], head: Option<&[&str]>, rows: &[Vec<String>], screen: Option<usize>) -> String {
    let mut widths = vec![0; styles.len()];
    let head: Option<Vec<String>> = head.map(|cells| cells.iter().map(|&cell| cell.to_owned()).collect());
    for row in head.iter().chain(rows) {
        for (widest, cell) in widths.iter_mut().zip(row) {
            let cell = width(cell);
            if cell <= MAX_PADDED_COLUMNS {
                *widest = cell.max(*widest);
            }
        }
    }
    let mut out = String::new();
    if let Some(head) = &head {
        let bold = vec![super::style::HEAD; styles.len()];
        line(&bold, head, &widths, screen, &mut out);
    }
    for row in rows {
        line(styles, row, &widths, screen, &mut out);
    }
    out
}

fn line(styles: &[Style], row: &[String], widths: &[usize], screen: Option<usize>, out: &mut String) {
    let last = row.iter().rposition(|cell| !cell.is_empty()).unwrap_or(0);
    let mut used = 0;
    for (place, ((cell, style), widest)) in row.iter().zip(styles).zip(widths).enumerate().take(last + 1) {
        let is_last_column = place + 1 == styles.len();
        let room = screen.map(|columns| columns.saturating_sub(used).max(MIN_LAST_COLUMNS));
        let shown = match room {
            Some(room) if is_last_column => cut(cell, room),
            _ => cell.as_str().into(),
        };
        // A column that is empty in every row is none.
        if *widest == 0 && shown.is_empty() {
            continue;
        }
        if !shown.is_empty() {
            out.push_str(&super::style::paint(*style, &shown));
        }
        if place < last {
            let taken = width(&shown);
            let pad = widest.saturating_sub(taken);
            out.push_str(&" ".repeat(pad));
            out.push_str(GAP);
            used += taken + pad + GAP.len();
        }
    }
    out.push('\n');
}
