//! Formats a matrix as a table with a row for each skill and a column for each dialect.

use super::list::REPAIRED;
use super::style::{ERROR, FAINT, HEAD, KEY, WARNING, paint};
use super::table::marked_lines;
use super::text::{cut, cut_path, folded, width};
use crate::args::GlobalOptions;
use crate::command_line::command_at;
use anstyle::Style;
use skilltree::author::{Cell, CellState, Matrix};
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

/// Whether a cell has a mark.
type Has = fn(&Cell) -> bool;

/// The marks behind a state: whether a cell has it, and what it means.
const MARKS: [(Has, &str, &str); 2] = [
    (|cell| cell.repaired, REPAIRED, "used only thanks to a repair; the client reads the file differently"),
    (|cell| cell.withheld, "†", "the client gives it to the model; here it is withheld"),
];

/// The symbol of a cell with its marks, and the name of its state if that is wanted.
fn shown(cell: &Cell, has_word: bool) -> Cow<'static, str> {
    let state = STATES.iter().find(|(state, ..)| *state == cell.state);
    let text = state.map_or("", |(_, symbol, word)| if has_word { *word } else { *symbol });
    let marks: String = MARKS.iter().filter(|(has, ..)| has(cell)).map(|(_, mark, _)| *mark).collect();
    if marks.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(format!("{text}{marks}")) }
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
        let words = matrix.rows.iter().filter_map(|row| row.cells.get(column)).map(|cell| width(&shown(cell, true)));
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
            cells.extend(row.cells.iter().map(|cell| shown(cell, has_words)));
            let path = fs.display(&row.path);
            let path = visible(&path);
            cells.push(match path_width {
                Some(width) => cut_path(&path, width.max(MIN_PATH)),
                None => Cow::Borrowed(&*path),
            });
            each(&cells);
        }
    };
    marked_lines(&styles, Some(&head), &rows, screen, Some(&mark), out);
    legend(matrix, Some(&names).filter(|_| !has_words).zip(screen), out);
    if screen.is_some() {
        let change = |options: &mut GlobalOptions| options.dialect = Some("NAME".to_owned());
        let why = command_at(change, &["why"], &["PATH"]);
        out(&format!("\n{why} gives the reason\n"));
    }
}

/// The colour of a state.
fn style(state: CellState) -> Style {
    match state {
        CellState::InUse => KEY,
        CellState::Skipped => ERROR,
        CellState::NameOnly | CellState::Shadowed | CellState::LeftOut => WARNING,
        CellState::Hidden | CellState::Unseen => FAINT,
    }
}

/// A cell in the colour of its state, and the name in that of an error if a dialect skips the file.
fn mark(row: &[Cow<'_, str>], column: usize, shown: &str) -> Option<String> {
    let state = |cell: &str| {
        let cell = MARKS.iter().rev().fold(cell, |cell, (_, mark, _)| cell.strip_suffix(mark).unwrap_or(cell));
        STATES.iter().find(|(_, symbol, word)| cell == *symbol || cell == *word).map(|(state, ..)| *state)
    };
    let cells = row.get(1..row.len().saturating_sub(1)).unwrap_or_default();
    let style = match column {
        0 => cells.iter().any(|cell| state(cell) == Some(CellState::Skipped)).then_some(ERROR),
        column => cells.get(column - 1).and_then(|cell| state(cell)).map(style),
    };
    style.map(|style| paint(style, shown))
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
        out(&format!("{} {}\n", paint(style(*state), &format!("{word:<11}")), meaning(*state)));
    }
    for (has, mark, meaning) in MARKS {
        if matrix.rows.iter().any(|row| row.cells.iter().any(has)) {
            out(&format!("{} {meaning}\n", paint(HEAD, &format!("{mark:<11}"))));
        }
    }
}
