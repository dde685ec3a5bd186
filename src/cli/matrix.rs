//! The command `matrix`: a table with a row for each skill and a column for each dialect.

use crate::answer::{Answer, Runner, note_line};
use crate::args::{GlobalOptions, format_or_json};
use crate::completion;
use crate::dialects::Dialects;
use crate::installed::other_versions;
use crate::output::findings;
use crate::output::list::REPAIRED;
use crate::output::page::{Escaped, class, page};
use crate::output::style::{ERROR, FAINT, HEAD, KEY, WARNING, paint};
use crate::output::table::lines;
use crate::output::text::{self, cut, cut_path, folded, width};
use crate::progress::Progress;
use crate::reply::{Failure, Output, Reply};
use crate::setup::Setup;
use crate::suggested::command_at;
use anstyle::Style;
use clap::{Args, ValueEnum};
use clap_complete::engine::ArgValueCompleter;
use skilltree::author::{CellState, Matrix, MatrixCell, MatrixColumn, MatrixRow, MatrixTable, Overview};
use skilltree::fs::CachedFs;
use skilltree::model::ParsedFrontmatters;
use skilltree::{Catalog, Code, Diagnostic, Dialect, Fs, PromptRequest, World, visible};
use std::borrow::Cow;
use std::fmt::Write as _;
use std::mem::ManuallyDrop;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;

#[derive(Args, Debug)]
pub(crate) struct MatrixArgs {
    /// Dialects to compare, separated by commas; may be repeated; `all` for all [default: agentskills, and the clients
    /// found here]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = crate::args::NonEmptyText::new(), add = ArgValueCompleter::new(completion::dialects))]
    dialects: Vec<String>,
    /// Show only skills that the dialects treat differently
    #[arg(long)]
    diff: bool,
    /// How to print the table [default: text]
    #[arg(long, value_enum)]
    format: Option<Format>,
}

/// How the table is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A table for people
    Text,
    /// One JSON document, as with --json
    Json,
    /// A page of one file, with the reason for each cell
    Html,
}

impl MatrixArgs {
    pub(crate) fn is_json(&self) -> bool {
        self.format == Some(Format::Json)
    }

    /// The dialects to compare, each once: without names the standard, and the clients that have left traces here.
    fn dialects(&self, known: &Dialects, world: &World<'_>) -> Result<Vec<Arc<Dialect>>, Failure> {
        known.each_named(&self.dialects, |all| {
            all.first().cloned().into_iter().chain(Overview::clients(world, &all)).collect()
        })
    }
}

impl Runner<'_> {
    pub(crate) fn matrix(self, ask: &MatrixArgs) -> Answer {
        let format = format_or_json(ask.format, self.json, Format::Text, Format::Json)?;
        let setup = Setup::new(self.options)?;
        // The program ends after this answer. To give all the memory back before takes longer.
        let cached = ManuallyDrop::new(CachedFs::new(setup.files()));
        let parsed = ManuallyDrop::new(ParsedFrontmatters::default());
        let world = || setup.world_of(&*cached).with_parsed(&parsed);
        let dialects = ask.dialects(&Dialects::new(self.options), &world())?;
        let (mut found, unread) = compared(&world, &dialects, self.progress, &unread);
        let unread = findings::unread(setup.files(), &each_once(unread.concat()));
        let count = found.rows.len();
        if ask.diff {
            found.keep_differences();
        }
        let versions: String = other_versions(dialects.iter().map(|dialect| &**dialect))
            .iter()
            .map(|sentence| note_line(sentence))
            .collect();
        let note = match (count, found.rows.len()) {
            (0, _) => note_line("no SKILL.md was found in the sources of these dialects"),
            (1, 0) => note_line("the dialects do the same with the one skill that was found"),
            (_, 0) => note_line(&format!("the dialects do the same with each of the {count} skills that were found")),
            _ => String::new(),
        };
        let cuts = findings::about(setup.files(), &found.looked_no_further);
        let width = self.screen.width;
        let out = match format {
            Format::Json => Output::Writes(Box::new(move |out| writeln!(out, "{:#}", found.json_text(&setup.fs)))),
            Format::Text => Output::Lines(Box::new(move |out| matrix(&setup.fs, &found, width, out))),
            Format::Html => Output::Exact(html(&setup, &found, count)),
        };
        Ok(Reply::new(out).with_stderr(&unread).with_stderr(&cuts).with_stderr(&note).with_stderr(&versions))
    }
}

/// More threads than these wait for one another.
const MAX_THREADS: usize = 4;

/// The matrix of the dialects, which `progress` counts, made in several threads over one file system; and what `keep` takes
/// from each catalog, which is then dropped.
pub(crate) fn compared<'w, T: Send + Sync>(
    world: &(dyn Fn() -> World<'w> + Sync),
    dialects: &[Arc<Dialect>],
    progress: &Progress,
    keep: &(dyn Fn(&Catalog) -> T + Sync),
) -> (Matrix, Vec<T>) {
    progress.set_total(dialects.len());
    let table = Mutex::new(MatrixTable::new(dialects.len()));
    let kept: Vec<OnceLock<T>> = dialects.iter().map(|_| OnceLock::new()).collect();
    let compare = |at: usize, dialect: &Arc<Dialect>| {
        let world = world();
        let catalog = skilltree::discover(&world, dialect);
        let column = MatrixColumn::new(&world, &catalog, &PromptRequest::default());
        let kept = keep(&catalog);
        drop(catalog);
        table.lock().unwrap_or_else(PoisonError::into_inner).add(&world, at, column);
        progress.advance();
        kept
    };
    // A dialect that enters all folders goes first and alone, so that no folder is listed twice at the same time.
    let first = dialects.iter().position(|dialect| dialect.scan_depth().is_none()).unwrap_or(0);
    if let (Some(dialect), Some(kept)) = (dialects.get(first), kept.get(first)) {
        kept.get_or_init(|| compare(first, dialect));
    }
    let next = AtomicUsize::new(0);
    let work = || {
        loop {
            let at = next.fetch_add(1, Relaxed);
            let (Some(dialect), Some(kept)) = (dialects.get(at), kept.get(at)) else { return };
            kept.get_or_init(|| compare(at, dialect));
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS).min(dialects.len());
    thread::scope(|scope| {
        for _ in 1..threads {
            // Where no thread can be had, fewer do it.
            let _ = thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
    let matrix = table.into_inner().unwrap_or_else(PoisonError::into_inner).matrix(&world());
    (matrix, kept.into_iter().filter_map(OnceLock::into_inner).collect())
}

/// What could not be read.
pub(crate) fn unread(catalog: &Catalog) -> Vec<Diagnostic> {
    catalog.findings().iter().filter(|finding| findings::is_unread(finding)).cloned().collect()
}

/// The findings of several dialects, each once.
pub(crate) fn each_once(mut findings: Vec<Diagnostic>) -> Vec<Diagnostic> {
    findings.sort_by(|a, b| (&a.path, a.code).cmp(&(&b.path, b.code)));
    findings.dedup_by(|a, b| (&a.path, a.code) == (&b.path, b.code));
    findings
}

/// The columns between two cells.
const GAP: usize = 2;
/// The most columns that names take, and the fewest that paths take, on a terminal.
const MAX_NAME: usize = 32;
const MIN_PATH: usize = 16;

/// The states, each with its symbol, its name, what it means, and its colour.
const STATES: [(CellState, &str, &str, &str, Style); 7] = [
    (CellState::InUse, "✓", "✓ in-use", "the model sees it", KEY),
    (CellState::NameOnly, "~", "~ name-only", "the model sees its name only", WARNING),
    (CellState::Hidden, "-", "- hidden", "the model does not see it", FAINT),
    (CellState::Shadowed, "=", "= shadowed", "another skill is used for its key", WARNING),
    (CellState::Skipped, "!", "! skipped", "not read as a skill", ERROR),
    (CellState::LeftOut, "×", "× left-out", "did not fit into the prompt", WARNING),
    (CellState::Unseen, "·", "· unseen", "not looked at", FAINT),
];

/// Whether a cell has a mark.
type Has = fn(&MatrixCell) -> bool;

/// The marks behind a state: whether a cell has it, and what it means.
const MARKS: [(Has, &str, &str); 3] = [
    (|cell| cell.repaired, REPAIRED, "used only thanks to a repair; the client reads the file differently"),
    (|cell| cell.withheld, "†", "the client gives it to the model; here it is withheld"),
    (|cell| cell.undetermined, "?", "the client does not determine which skill of this key it uses"),
];

/// The symbol of a cell with its marks, and the name of its state if that is wanted.
fn shown(cell: &MatrixCell, has_word: bool) -> Cow<'static, str> {
    let state = STATES.iter().find(|(state, ..)| *state == cell.state);
    let text = state.map_or("", |(_, symbol, word, ..)| if has_word { *word } else { *symbol });
    let marks: String = MARKS.iter().filter(|(has, ..)| has(cell)).map(|(_, mark, _)| *mark).collect();
    if marks.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(format!("{text}{marks}")) }
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
    lines(&styles, Some(&head), &rows, screen, Some(&mark), out);
    legend(matrix, Some(&names).filter(|_| !has_words).zip(screen), out);
    if screen.is_some() {
        let change = |options: &mut GlobalOptions| options.dialect = Some("NAME".to_owned());
        let why = command_at(change, &["why"], &["PATH"]);
        out(&format!("\n{why} gives the reason\n"));
    }
}

/// A cell in the colour of its state, and the name in that of an error if a dialect skips the file.
fn mark(row: &[Cow<'_, str>], column: usize, shown: &str) -> Option<String> {
    let state = |cell: &str| {
        let cell = MARKS.iter().rev().fold(cell, |cell, (_, mark, _)| cell.strip_suffix(mark).unwrap_or(cell));
        STATES.iter().find(|(_, symbol, word, ..)| cell == *symbol || cell == *word)
    };
    let cells = row.get(1..row.len().saturating_sub(1)).unwrap_or_default();
    let style = match column {
        0 => cells.iter().any(|cell| matches!(state(cell), Some((CellState::Skipped, ..)))).then_some(ERROR),
        column => cells.get(column - 1).and_then(|cell| state(cell)).map(|(.., style)| *style),
    };
    style.map(|style| paint(style, shown))
}

/// More dialects than these have symbols alone in their cells, and names that run upwards.
const MAX_WORDS: usize = 6;

/// A page with the legend, the table, and for each skill the reasons for its cells. `count` is the number of skills that were found.
fn html(setup: &Setup, matrix: &Matrix, count: usize) -> String {
    let mut body = String::new();
    let different = matrix.rows.iter().filter(|row| row.is_different()).count();
    let _ = writeln!(body, "<p>{}, {different} treated differently.</p>\n<ul>", text::count(count, "skill"));
    for (style, sign, meaning) in meanings(matrix) {
        let sign =
            style.map_or_else(|| sign.to_owned(), |style| format!("<span class=\"{}\">{sign}</span>", class(style)));
        let _ = writeln!(body, "<li>{sign} {meaning}</li>");
    }
    let dense = if MAX_WORDS < matrix.dialects.len() { " class=\"dense\"" } else { "" };
    let _ = write!(body, "</ul>\n<div class=\"wide\">\n<table{dense}>\n<thead><tr><th scope=\"col\">Skill</th>");
    for name in &matrix.dialects {
        let _ = write!(body, "<th scope=\"col\">{}</th>", Escaped(name));
    }
    body.push_str("</tr></thead>\n<tbody>\n");
    for row in &matrix.rows {
        let _ = write!(body, "<tr><th scope=\"row\">{}</th>", Escaped(&row.name));
        for cell in &row.cells {
            let shown = shown(cell, true);
            let (symbol, word) = shown.split_once(' ').unwrap_or((&shown, ""));
            let style = STATES.iter().find(|(state, ..)| *state == cell.state).map_or(FAINT, |(.., style)| *style);
            let _ = write!(body, "<td class=\"{}\">{symbol}<span class=\"word\"> {word}</span></td>", class(style));
        }
        // Whoever opens the page elsewhere does not have the folders above.
        let path = setup.portable(&row.path).unwrap_or_else(|| setup.fs.display(&row.path).into_owned());
        let columns = row.cells.len() + 1;
        let _ = write!(body, "</tr>\n<tr class=\"more\"><td colspan=\"{columns}\"><details>");
        let _ = write!(body, "<summary>{}</summary><dl>", Escaped(&path));
        for (cell, names) in reasons(matrix, row) {
            let _ = write!(body, "<dt>{}</dt><dd>{}", Escaped(&names.join(", ")), Escaped(&cell.message));
            for more in cell.help.as_deref().into_iter().chain(cell.code.map(Code::as_str)) {
                let _ = write!(body, " <span class=\"faint\">{}</span>", Escaped(more));
            }
            body.push_str("</dd>");
        }
        body.push_str("</dl></details></td></tr>\n");
    }
    body.push_str("</tbody>\n</table>\n</div>\n");
    page("What each agent does with these skills", &body)
}

/// The cells of a row with different reasons, each with the names of its dialects.
fn reasons<'m>(matrix: &'m Matrix, row: &'m MatrixRow) -> Vec<(&'m MatrixCell, Vec<&'m str>)> {
    let mut reasons: Vec<(&MatrixCell, Vec<&str>)> = Vec::new();
    for (name, cell) in matrix.dialects.iter().zip(&row.cells) {
        let is_same = |(known, _): &&mut (&MatrixCell, _)| (&known.message, &known.help) == (&cell.message, &cell.help);
        match reasons.iter_mut().find(is_same) {
            Some((_, names)) => names.push(name),
            None => reasons.push((cell, vec![name])),
        }
    }
    reasons
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
    for (style, sign, meaning) in meanings(matrix) {
        out(&format!("{} {meaning}\n", paint(style.unwrap_or(HEAD), &format!("{sign:<11}"))));
    }
}

/// The states and marks that occur: the colour of a state, how each is shown, and what it means.
fn meanings(matrix: &Matrix) -> impl Iterator<Item = (Option<Style>, &'static str, &'static str)> {
    let occurs = |has: &dyn Fn(&MatrixCell) -> bool| matrix.rows.iter().any(|row| row.cells.iter().any(has));
    let states = STATES.iter().filter(move |(state, ..)| occurs(&|cell| cell.state == *state));
    let marks = MARKS.into_iter().filter(move |(has, ..)| occurs(has));
    states
        .map(|(_, _, word, meaning, style)| (Some(*style), *word, *meaning))
        .chain(marks.map(|(_, mark, meaning)| (None, mark, meaning)))
}
