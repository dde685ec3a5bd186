//! In: an engine. Out: its snapshot, as things are now. The first look is made fast, as the instructions wait for it;
//! all that they do not need comes with the second, which remembers what it sees. From then on nothing is listed or read
//! again where stamps say that it has not changed. Looks are made from time to time and for requests: two requests
//! that wait for a look share one.
//! Absent: when a look is due.

use super::bench::Bench;
use super::engine::{Engine, Marks, locked};
use super::resources::Shelf;
use super::snapshot::Snapshot;
use crate::output::nowhere::nowhere;
use rmcp::ErrorData;
use skilltree::package::Served;
use skilltree::{Catalog, IncrementalDiscovery};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// What one look leaves for the next.
pub(super) struct Memory {
    live: IncrementalDiscovery,
    /// The findings that were told of what there is.
    told: Marks,
    /// Those that were told while answering.
    pub(super) answered: Marks,
}

impl Memory {
    pub(super) fn new(live: IncrementalDiscovery) -> Memory {
        Memory { live, told: Marks::new(), answered: Marks::new() }
    }
}

/// Why a look is made.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Why {
    /// A request waits for it, so it is to be quick.
    Request,
    /// It is due, or what was listed has turned out to be no longer as it was.
    Due,
}

impl Engine {
    /// The first look.
    pub(super) async fn begin(self: &Arc<Self>) {
        // Where it fails, there is nothing to answer from, and each request says so.
        let _ = self.answer(Engine::look_first).await;
        self.has_begun.send_replace(true);
    }

    fn look_first(&self) {
        let mut memory = locked(&self.memory);
        let catalog = skilltree::discover(&self.world(), &self.setup.dialect);
        self.notices.tell(nowhere(&self.setup, &catalog));
        let (first, findings) = Snapshot::first(self, catalog);
        self.tell(&mut memory.told, &findings);
        *locked(&self.now) = Arc::new(first);
    }

    /// Waits until there is something to answer from.
    pub(super) async fn begun(&self) {
        // The sender is ours, so the only error there could be is none.
        let _ = self.has_begun.subscribe().wait_for(|has_begun| *has_begun).await;
    }

    /// Looks again before a request is answered, unless the user wants no looks but the first ones.
    pub(super) async fn look(self: &Arc<Self>) -> Result<(), ErrorData> {
        // A look that began before the request came may have passed by what has changed since.
        let seen = self.all_metadata.load(Ordering::SeqCst);
        self.begun().await;
        let _turn = self.looking.lock().await;
        let all_metadata = self.all_metadata.load(Ordering::SeqCst);
        let is_enough = if self.poll().is_none() { all_metadata > 0 } else { all_metadata > seen };
        if !is_enough {
            self.answer(|engine| engine.look_again(Why::Request)).await?;
            self.load();
        }
        self.requests.notify_one();
        Ok(())
    }

    /// Waits until no look is under way, nor any of the first ones still to come.
    pub(super) async fn searched_places(&self) {
        self.begun().await;
        drop(self.looking.lock().await);
    }

    /// Looks again, and announces the lists whose answer has changed. Whether one has.
    pub(super) fn refresh(&self) -> bool {
        self.look_again(Why::Due)
    }

    fn look_again(&self, why: Why) -> bool {
        let mut memory = locked(&self.memory);
        let is_first = self.all_metadata.fetch_add(1, Ordering::SeqCst) == 0;
        let catalog = memory.live.refresh(&self.world());
        let mut before = self.snapshot();
        let is_same = before.catalog.as_ref() == Some(&catalog);
        if is_same && is_first {
            // What the first look has found goes: this one remembers what it finds, and that is in memory once.
            before = Arc::new(before.with_catalog(catalog.clone()));
            *locked(&self.now) = Arc::clone(&before);
        }
        let bench = match why {
            Why::Request if is_same && !is_first => before.bench.clone(),
            Why::Request | Why::Due => Bench::new(self, &catalog, &before.bench),
        };
        let shelf = before.shelf.get().map(|shelf| shelf.again(&self.world(), &catalog, is_same));
        let is_as_before = match (&shelf, before.shelf.get()) {
            (Some(now), Some(before)) => Arc::ptr_eq(now, before),
            _ => true,
        };
        if is_same && is_as_before && !is_first && bench.is_same(&before.bench) {
            return false;
        }
        self.take(&mut memory, &before, (catalog, bench, shelf), is_first)
    }

    /// Takes what a look has seen for what there is now. Whether a client sees something else than before.
    fn take(
        &self,
        memory: &mut Memory,
        before: &Snapshot,
        (catalog, bench, shelf): (Catalog, Bench, Option<Arc<Shelf>>),
        is_first: bool,
    ) -> bool {
        let is_same = before.catalog.as_ref() == Some(&catalog);
        let unserved = match &shelf {
            Some(shelf) => shelf.findings().to_vec(),
            // Nobody has asked for the skills as resources so far, and all of them would take much memory.
            None if !is_same || is_first => Served::left_out(&self.world(), &catalog),
            None => Vec::new(),
        };
        let known = before.shelf.get();
        let (after, mut findings) = match is_same {
            true => before.whole(self, bench, shelf),
            false => {
                let (first, mut findings) = Snapshot::first(self, catalog);
                let (after, more) = first.whole(self, bench, shelf);
                findings.extend(more);
                (after, findings)
            }
        };
        findings.extend(unserved);
        if !is_same {
            let marks: Marks = findings.iter().map(|finding| self.mark(finding)).collect();
            memory.told.retain(|told| marks.contains(told));
        }
        self.tell(&mut memory.told, &findings);
        let prompts = !is_same && !after.has_prompts_of(before, &self.reserved);
        let resources = match (known, after.shelf.get()) {
            (Some(known), Some(shelf)) => shelf.differs(known),
            _ => !is_same,
        };
        if is_first && after.bench.is_empty() {
            // Who asks for no list has the first one in the instructions. Toolsets are yet to be loaded, where there are any.
            match is_same {
                true => self.know(after.tools()),
                false => self.know(before.whole(self, Bench::default(), None).0.tools()),
            }
        }
        *locked(&self.now) = Arc::new(after);
        let tools = self.has_other_tools();
        self.announce(tools, prompts, resources);
        tools || prompts || resources
    }

    /// The skills as resources, which are made when they are first asked for. No look comes between, so the next one knows
    /// of all that was listed.
    pub(super) fn shelf<T>(&self, ask: impl FnOnce(&Arc<Shelf>) -> T) -> T {
        let _no_look = locked(&self.memory);
        let now = self.snapshot();
        ask(now.shelf.get_or_init(|| {
            let shelf = now.catalog.as_ref().map(|catalog| Shelf::new(&self.world(), catalog));
            Arc::new(shelf.unwrap_or_default())
        }))
    }
}
