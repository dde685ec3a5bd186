//! The command `matrix`.

use crate::dialects::Dialects;
use crate::output::findings;
use crate::output::matrix::matrix;
use crate::progress::Progress;
use crate::reply::{Failure, Output, Reply};
use crate::run::{Answer, Runner, note_line};
use crate::setup::Setup;
use clap::Args;
use skilltree::author::{Matrix, MatrixColumn, MatrixTable};
use skilltree::fs::CachedFs;
use skilltree::model::ParsedFrontmatters;
use skilltree::{Catalog, Diagnostic, Dialect, PromptRequest, World};
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
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
        // The program ends after this answer. To give all the memory back before takes longer.
        let cached = ManuallyDrop::new(CachedFs::new(setup.files()));
        let parsed = ManuallyDrop::new(ParsedFrontmatters::default());
        let world = || setup.world_of(&*cached).with_parsed(&parsed);
        let (mut found, unread) = compared(&world, &dialects, self.progress, &unread);
        let unread = findings::unread(setup.files(), &each_once(unread.concat()));
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
            true => Output::Writes(Box::new(move |out| writeln!(out, "{:#}", found.json_text(&setup.fs)))),
            false => Output::Lines(Box::new(move |out| matrix(&setup.fs, &found, width, out))),
        };
        Ok(Reply::new(out).with_stderr(&unread).with_stderr(&cuts).with_stderr(&note))
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
        table.lock().unwrap_or_else(PoisonError::into_inner).add(&world, at, column);
        progress.advance();
        keep(&catalog)
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
