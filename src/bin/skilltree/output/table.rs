//! In: rows of cells. Out: aligned columns; on a terminal no line is wider than it.
//! Absent: borders and wrapping.

use super::style::{HEAD, KEY};
use super::text::{cut, width};
use anstyle::Style;
use std::borrow::Cow;
use std::fmt::Write as _;

/// A column is padded to this many columns of the screen at most, so that one endless cell costs its own row alone.
const MAX_PADDED: usize = 40;
/// What the last column is left of a narrow screen, if the others can do with less.
const MIN_LAST: usize = 16;
/// No column is made narrower than this for that.
const MIN_PADDED: usize = 10;
/// A cell is left out where it would have less room than this.
const MIN_ROOM: usize = 4;
const GAP: usize = 2;

/// Rows that can be gone through again and again, each of as many cells as there are styles, of one line each and fit for
/// a terminal. A column in the style of keys is cut only where the screen ends: a key that is cut is none.
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
        for ((widest, cell), style) in widths.iter_mut().zip(row).zip(styles) {
            // On a screen what is too wide is cut, unless it is a key.
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
        line(&vec![HEAD; styles.len()], head, &widths, screen, &mut text);
        out(&text);
    }
    rows(&mut |row| {
        text.clear();
        line(styles, row, &widths, screen, &mut text);
        out(&text);
    });
}

/// Takes from the widest columns what the last one needs.
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

fn line(styles: &[Style], row: &[Cow<'_, str>], widths: &[usize], screen: Option<usize>, out: &mut String) {
    // GlobalOptions the screen's columns are used up to, and where the next cell begins.
    let (mut used, mut next) = (0, 0);
    for (place, ((cell, style), widest)) in row.iter().zip(styles).zip(widths).enumerate() {
        // A column that is empty in every row is none.
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
            let pad = start - used;
            // Writing to a `String` cannot fail.
            let _ = write!(out, "{:pad$}{style}{shown}{style:#}", "");
            used = start + width(&shown);
        }
        next = start + widest + GAP;
    }
    out.push('\n');
}
