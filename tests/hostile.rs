//! Input that wants to crash, hang, balloon or deceive: each case says what must come of it. Everything runs under a
//! limit of time that only a hang or a blow-up passes. `trees` holds files, folders and links, `texts` what stands
//! in one file, `names` what wants to break out of an answer, `hidden` what wants to go unseen. Absent: speed, which the bench measures.

use crate::common;
#[path = "hostile/hidden.rs"]
mod hidden;
#[path = "hostile/names.rs"]
mod names;
#[path = "hostile/texts.rs"]
mod texts;
#[path = "hostile/trees.rs"]
mod trees;

#[cfg(not(target_family = "wasm"))]
use crate::common::effort::Effort;
use common::{Machine, Tree, path};
use skilltree::{Catalog, Code, Fs, Places, World, dialect, discover};
#[cfg(not(target_family = "wasm"))]
use std::sync::mpsc;
#[cfg(not(target_family = "wasm"))]
use std::time::{Duration, Instant};

/// The most processor time that a case may need, the most time that may pass, as it may also wait for something, and how
/// often both are looked at.
#[cfg(not(target_family = "wasm"))]
const LIMIT: Duration = Duration::from_secs(60);
#[cfg(not(target_family = "wasm"))]
const PATIENCE: Duration = Duration::from_secs(600);
#[cfg(not(target_family = "wasm"))]
const LOOK: Duration = Duration::from_millis(500);

/// Where there are no threads, whoever runs the tests has the limit.
#[cfg(target_family = "wasm")]
fn in_time(_: &str, work: impl FnOnce() + Send + 'static) {
    work();
}

/// Runs in a thread with no more stack than any has, and fails when it takes too long.
#[cfg(not(target_family = "wasm"))]
#[track_caller]
fn in_time(case: &str, work: impl FnOnce() + Send + 'static) {
    let ((begun, effort), (tell, told)) = (mpsc::channel(), mpsc::channel());
    let thread = std::thread::spawn(move || {
        // Nobody listens any more when a limit has passed.
        let _ = begun.send(Effort::begin());
        work();
        let _ = tell.send(());
    });
    let effort = effort.recv().expect("the thread has begun");
    let begin = Instant::now();
    while let Err(mpsc::RecvTimeoutError::Timeout) = told.recv_timeout(LOOK) {
        assert!(effort.so_far() < LIMIT && begin.elapsed() < PATIENCE, "{case}: not done after {:?}", begin.elapsed());
    }
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

/// The places of every case: one source, `/s`, and a project.
fn places() -> Places {
    Places { roots: vec![path("/s")], project: Some(path("/project")), ..Places::default() }
}

/// Discovers below `/s`, and lets the world be asked.
fn found<T>(fs: &dyn Fs, name: &str, then: impl FnOnce(&World<'_>, &Catalog) -> T) -> T {
    let (places, machine) = (places(), Machine { trust: true, ..Machine::default() });
    let world = World::new(fs, &places, &machine);
    then(&world, &discover(&world, &dialect(name).expect("a dialect")))
}

/// The same in memory and on the disk.
fn on_both(tree: &Tree, name: &str, mut then: impl FnMut(&World<'_>, &Catalog)) {
    found(&tree.mem(), name, &mut then);
    #[cfg(unix)]
    found(&tree.disk().0, name, &mut then);
}

/// The codes of what was noticed at a path, each once.
fn codes(catalog: &Catalog, at: &str) -> Vec<Code> {
    let found = catalog.findings().iter().filter(|finding| finding.path.as_str() == at);
    let mut codes: Vec<Code> = found.map(|finding| finding.code).collect();
    codes.sort();
    codes.dedup();
    codes
}

/// How many bytes the findings hold.
fn weight(catalog: &Catalog) -> usize {
    let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    let each = catalog.findings().iter().map(|finding| {
        let fix = finding.fix.as_ref().map_or(0, |fix| fix.with.len());
        finding.path.as_str().len() + finding.message.len() + text(&finding.help) + text(&finding.line_text) + fix
    });
    each.sum()
}
