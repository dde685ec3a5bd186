//! The command `matrix`.

use crate::dialects::Dialects;
use crate::output::findings;
use crate::output::matrix::matrix;
use crate::reply::{Failure, Output, Reply};
use crate::run::{Answer, Runner, note_line};
use crate::setup::Setup;
use clap::Args;
use skilltree::answers::MatrixColumn;
use skilltree::fs::CachedFs;
use skilltree::model::ParsedFrontmatters;
use skilltree::{Catalog, Diagnostic, Dialect, PromptRequest, World, answers, report};
use std::mem::{self, ManuallyDrop};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::thread;

#[derive(Args, Debug)]
pub(crate) struct MatrixArgs {
    /// Dialects to compare, separated by commas; may be repeated [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = crate::args::NonEmptyText::new())]
    dialects: Vec<String>,
    /// Show only skills that the dialects treat differently
    #[arg(long)]
    diff: bool,
}

impl MatrixArgs {
    /// The dialects to compare, each once: all built-in ones if none is named.
    fn dialects(&self, known: &Dialects) -> Result<Vec<Arc<Dialect>>, Failure> {
        if self.dialects.is_empty() {
            return Ok(skilltree::dialect::NAMES.iter().filter_map(|name| skilltree::dialect(name)).collect());
        }
        let mut dialects: Vec<Arc<Dialect>> = Vec::new();
        for name in &self.dialects {
            let dialect = known.named(Some(name.trim()))?.dialect;
            if !dialects.contains(&dialect) {
                dialects.push(dialect);
            }
        }
        Ok(dialects)
    }
}

impl Runner<'_> {
    pub(crate) fn matrix(self, ask: &MatrixArgs) -> Answer {
        let dialects = ask.dialects(&Dialects::new(self.options))?;
        let setup = Setup::new(self.options)?;
        // The program ends after this answer. To give the memory of 10,000 skills in 13 dialects back before would take a fifth
        // of its time.
        let cached = ManuallyDrop::new(CachedFs::new(setup.files()));
        let parsed = ManuallyDrop::new(ParsedFrontmatters::default());
        let world = || setup.world_of(&*cached).with_parsed(&parsed);
        let (columns, catalogs) = columns(&world, &dialects);
        let unread = findings::unread(setup.files(), &unread(&catalogs));
        let mut found = answers::matrix_of(&world(), columns);
        let count = found.rows.len();
        if ask.diff {
            found.keep_differences();
        }
        let note = match (count, found.rows.len()) {
            (0, _) => note_line("no SKILL.md was found in the sources of these dialects"),
            (1, 0) => note_line("the dialects do the same with the one skill that was found"),
            (_, 0) => note_line(&format!("the dialects do the same with each of the {count} skills that were found")),
            _ => String::new(),
        };
        let cuts = findings::about(setup.files(), &found.looked_no_further);
        let (json, width) = (self.json, self.screen.width);
        let out = match json {
            true => Output::Writes(Box::new(move |out| writeln!(out, "{:#}", report::matrix(&setup.fs, &found)))),
            false => Output::Lines(Box::new(move |out| matrix(&setup.fs, &found, width, out))),
        };
        Ok(Reply::new(out).with_stderr(&unread).with_stderr(&cuts).with_stderr(&note))
    }
}

/// More threads than these wait for one another.
const MAX_THREADS: usize = 4;

/// The columns of the dialects, in several threads over one file system; and the catalogs that they were made of.
pub(crate) fn columns<'w>(
    world: &(dyn Fn() -> World<'w> + Sync),
    dialects: &[Arc<Dialect>],
) -> (Vec<MatrixColumn>, Vec<Catalog>) {
    let discover = |dialect: &Arc<Dialect>| {
        let catalog = skilltree::discover(&world(), dialect);
        mem::forget(catalog.clone());
        catalog
    };
    let catalogs: Vec<OnceLock<Catalog>> = dialects.iter().map(|_| OnceLock::new()).collect();
    let columns: Vec<OnceLock<MatrixColumn>> = dialects.iter().map(|_| OnceLock::new()).collect();
    // A dialect that enters all folders goes first and alone, so that no folder is listed twice at the same time.
    let first = dialects.iter().position(|dialect| dialect.scan.depth.is_none()).unwrap_or(0);
    if let (Some(dialect), Some(catalog)) = (dialects.get(first), catalogs.get(first)) {
        catalog.get_or_init(|| discover(dialect));
    }
    let next = AtomicUsize::new(0);
    let work = || {
        loop {
            let n = next.fetch_add(1, Relaxed);
            let (Some(dialect), Some(catalog), Some(column)) = (dialects.get(n), catalogs.get(n), columns.get(n))
            else {
                return;
            };
            let catalog = catalog.get_or_init(|| discover(dialect)).clone();
            column.get_or_init(|| MatrixColumn::new(&world(), catalog, &PromptRequest::default()));
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
    let columns = columns.into_iter().filter_map(OnceLock::into_inner).collect();
    (columns, catalogs.into_iter().filter_map(OnceLock::into_inner).collect())
}

/// What could not be read, once for all dialects.
pub(crate) fn unread(catalogs: &[Catalog]) -> Vec<Diagnostic> {
    let found = catalogs.iter().flat_map(Catalog::findings);
    let mut unread: Vec<Diagnostic> = found.filter(|finding| findings::is_unread(finding)).cloned().collect();
    unread.sort_by(|a, b| (&a.path, a.code).cmp(&(&b.path, b.code)));
    unread.dedup_by(|a, b| (&a.path, a.code) == (&b.path, b.code));
    unread
}
