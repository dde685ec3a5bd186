//! Formats a matrix as a table with a row for each skill and a column for each dialect.

use super::style::{FAINT, HEAD, KEY, paint};
use super::table::lines;
use super::text::{cut, cut_path, folded, width};
use crate::args::GlobalOptions;
use crate::command_line::command_at;
use anstyle::Style;
use skilltree::answers::{CellState, Matrix};
use skilltree::{Fs, visible};
use std::borrow::Cow;

/// The columns between two cells.
const GAP: usize = 2;
/// The most columns that names take, and the fewest that paths take, on a terminal.
const MAX_NAME: usize = 32;
const MIN_PATH: usize = 16;

/// The states, each with its symbol and its name.
const STATES: [(CellState, &str, &str); 7] = [
    (CellState::InUse, "✓", "✓ in-use"),
    (CellState::NameOnly, "~", "~ name-only"),
    (CellState::Hidden, "-", "- hidden"),
    (CellState::Shadowed, "=", "= shadowed"),
    (CellState::Skipped, "!", "! skipped"),
    (CellState::LeftOut, "×", "× left-out"),
    (CellState::Unseen, "·", "· unseen"),
];

fn symbol(state: CellState) -> &'static str {
    STATES.iter().find(|(known, ..)| *known == state).map_or("", |(_, symbol, _)| *symbol)
}

/// The symbol and the name.
fn word(state: CellState) -> &'static str {
    STATES.iter().find(|(known, ..)| *known == state).map_or("", |(.., word)| *word)
}

fn meaning(state: CellState) -> &'static str {
    match state {
        CellState::InUse => "the model sees it",
        CellState::NameOnly => "the model sees its name only",
        CellState::Hidden => "the model does not see it",
        CellState::Shadowed => "another skill is used for its key",
        CellState::Skipped => "not read as a skill",
        CellState::LeftOut => "did not fit into the prompt",
        CellState::Unseen => "not looked at",
    }
}

/// The table, followed by a legend. On a terminal that is too narrow for the names of the dialects and the states, the
/// dialects have numbers, and the cells have symbols alone.
pub(crate) fn matrix(fs: &dyn Fs, matrix: &Matrix, screen: Option<usize>, out: &mut dyn FnMut(&str)) {
    if matrix.rows.is_empty() {
        return;
    }
    let names: Vec<Cow<'_, str>> = matrix.dialects.iter().map(|name| folded(name)).collect();
    let widest = |column: usize| {
        let occurs = |state: &CellState| {
            matrix.rows.iter().any(|row| row.cells.get(column).is_some_and(|cell| cell.state == *state))
        };
        let words = STATES.iter().filter(|(state, ..)| occurs(state)).map(|(.., word)| width(word));
        words.chain(names.get(column).map(|name| width(name))).max().unwrap_or(0)
    };
    let in_words: usize = (0..names.len()).map(|column| widest(column) + GAP).sum();
    let in_symbols: usize = (1..=names.len()).map(|number| number.to_string().len() + GAP).sum();
    let name = matrix.rows.iter().map(|row| width(&folded(&row.name))).max().unwrap_or(0).clamp(4, MAX_NAME) + GAP;
    let has_words = screen.is_none_or(|screen| name + in_words + MIN_PATH <= screen);
    let path_width = screen.map(|screen| screen.saturating_sub(name + if has_words { in_words } else { in_symbols }));

    let mut styles = vec![KEY];
    styles.resize(1 + names.len(), Style::new());
    styles.push(FAINT);
    let numbers: Vec<String> = (1..=names.len()).map(|number| number.to_string()).collect();
    let mut head = vec!["NAME"];
    match has_words {
        true => head.extend(names.iter().map(|name| &**name)),
        false => head.extend(numbers.iter().map(String::as_str)),
    }
    head.push("PATH");
    let rows = |each: &mut dyn FnMut(&[Cow<'_, str>])| {
        for row in &matrix.rows {
            let name = folded(&row.name);
            let mut cells = vec![if screen.is_some() { cut(&name, MAX_NAME) } else { Cow::Borrowed(&*name) }];
            let shown = if has_words { word } else { symbol };
            cells.extend(row.cells.iter().map(|cell| Cow::Borrowed(shown(cell.state))));
            let path = fs.display(&row.path);
            let path = visible(&path);
            cells.push(match path_width {
                Some(width) => cut_path(&path, width.max(MIN_PATH)),
                None => Cow::Borrowed(&*path),
            });
            each(&cells);
        }
    };
    lines(&styles, Some(&head), &rows, screen, out);
    legend(matrix, Some(&names).filter(|_| !has_words).zip(screen), out);
    if screen.is_some() {
        // The matrix shows what the clients themselves do.
        let change = |options: &mut GlobalOptions| {
            options.dialect = Some("NAME".to_owned());
            options.faithful = true;
        };
        let why = command_at(change, &["why"], &["PATH"]);
        out(&format!("\n{why} gives the reason\n"));
    }
}

/// Explains the states that occur, and the numbers of the dialects if the columns have them, on lines of this width.
fn legend(matrix: &Matrix, numbered: Option<(&Vec<Cow<'_, str>>, usize)>, out: &mut dyn FnMut(&str)) {
    out("\n");
    if let Some((names, screen)) = numbered {
        let mut line = String::new();
        for (n, name) in names.iter().enumerate() {
            let name = format!("{} {name}", n + 1);
            if !line.is_empty() && screen < width(&line) + GAP + width(&name) {
                out(&format!("{line}\n"));
                line.clear();
            }
            line.push_str(if line.is_empty() { "" } else { "  " });
            line.push_str(&name);
        }
        out(&format!("{line}\n"));
    }
    let occurs = |state: CellState| matrix.rows.iter().any(|row| row.cells.iter().any(|cell| cell.state == state));
    for (state, _, word) in STATES.iter().filter(|(state, ..)| occurs(*state)) {
        out(&format!("{} {}\n", paint(HEAD, &format!("{word:<11}")), meaning(*state)));
    }
}
