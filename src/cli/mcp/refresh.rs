//! Keeps the snapshot up to date. The first discovery is fast, as the instructions of the server wait for it; the
//! first refresh adds everything else and remembers what it read. Later refreshes list and read only what has changed
//! according to the stamps. A refresh is made at intervals and for requests; requests that wait for a refresh share
//! one.

use super::engine::{Engine, ReportedFindings, locked};
use super::resources::ResourceCache;
use super::snapshot::Snapshot;
use super::toolset_pool::ToolsetPool;
use crate::output::no_skills::no_skills_message;
use rmcp::ErrorData;
use skilltree::package::Served;
use skilltree::{Caller, Catalog, FsPath, IncrementalDiscovery, Skill, State};
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// What one refresh remembers for the next.
pub(super) struct Memory {
    live: IncrementalDiscovery,
    /// The findings about the current skills that were reported.
    reported: ReportedFindings,
    /// The findings of requests that were reported.
    pub(super) reported_by_requests: ReportedFindings,
}

impl Memory {
    pub(super) fn new(live: IncrementalDiscovery) -> Memory {
        Memory { live, reported: ReportedFindings::new(), reported_by_requests: ReportedFindings::new() }
    }
}

/// Why the snapshot is refreshed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reason {
    /// A request is waiting, so the refresh has to be fast.
    Request,
    /// The interval has passed, or a listed file has turned out to have changed.
    Due,
}

impl Engine {
    /// Makes the first snapshot.
    pub(super) async fn discover_first(self: &Arc<Self>) {
        // If this panics, there is no snapshot, and each request returns an error.
        let _ = self.run_blocking(Engine::make_first_snapshot).await;
        self.has_begun.send_replace(true);
    }

    fn make_first_snapshot(&self) {
        let mut memory = locked(&self.memory);
        let catalog = skilltree::discover(&self.world(), &self.setup.dialect);
        self.notices.push(no_skills_message(&self.setup, &catalog));
        let (first, findings) = Snapshot::of_catalog(self, catalog);
        self.report_new(&mut memory.reported, &findings);
        *locked(&self.current) = Arc::new(first);
    }

    /// Waits until the first snapshot exists.
    pub(super) async fn wait_until_ready(&self) {
        // The engine owns the sender, so this cannot fail.
        let _ = self.has_begun.subscribe().wait_for(|has_begun| *has_begun).await;
    }

    /// Refreshes the snapshot before a request is answered, unless the user has turned refreshes off.
    pub(super) async fn refresh_for_request(self: &Arc<Self>) -> Result<(), ErrorData> {
        // A refresh that was started before the request arrived may have missed later changes.
        let seen = self.refreshes_started.load(Ordering::SeqCst);
        self.wait_until_ready().await;
        let _turn = self.refresh_turn.lock().await;
        let refreshes_started = self.refreshes_started.load(Ordering::SeqCst);
        let is_frozen = self.poll_interval().is_none() && refreshes_started > 0;
        if is_frozen {
            self.run_blocking(Engine::refresh_if_hidden).await?;
        } else if refreshes_started <= seen {
            self.run_blocking(|engine| engine.refresh_for(Reason::Request)).await?;
            self.load_toolsets();
        }
        self.request_received.notify_one();
        Ok(())
    }

    /// Waits until the first snapshot exists and no request is refreshing it.
    pub(super) async fn wait_for_refresh(&self) {
        self.wait_until_ready().await;
        drop(self.refresh_turn.lock().await);
    }

    /// Refreshes the snapshot and announces the lists that have changed. Returns whether one has.
    pub(super) fn refresh(&self) -> bool {
        self.refresh_for(Reason::Due)
    }

    /// Refreshes the snapshot if one of its skills has been hidden from the model: the user may turn refreshes off, but
    /// what is hidden is not given. A skill that is gone cannot be read anyway, and may come back.
    fn refresh_if_hidden(&self) {
        let now = locked(&self.memory).live.refresh(&self.world());
        let is_offered = |skill: &Skill| skill.is_for(Caller::Model) && skill.state != State::Disabled;
        let hidden: HashSet<&FsPath> =
            now.skills().iter().filter(|one| !is_offered(one)).map(|one| &one.path).collect();
        let then = self.snapshot();
        let skills = then.catalog.as_ref().map_or(&[][..], Catalog::skills);
        if skills.iter().any(|skill| is_offered(skill) && hidden.contains(&skill.path)) {
            self.refresh();
        }
    }

    fn refresh_for(&self, reason: Reason) -> bool {
        let mut memory = locked(&self.memory);
        let is_first = self.refreshes_started.fetch_add(1, Ordering::SeqCst) == 0;
        let catalog = memory.live.refresh(&self.world());
        let mut before = self.snapshot();
        let is_same = before.catalog.as_ref() == Some(&catalog);
        if is_same && is_first {
            // Drop the catalog of the first discovery: `memory` has an equal one, and sharing it saves memory.
            before = Arc::new(before.with_catalog(catalog.clone()));
            *locked(&self.current) = Arc::clone(&before);
        }
        let toolsets = match reason {
            Reason::Request if is_same && !is_first => before.toolsets.clone(),
            Reason::Request | Reason::Due => ToolsetPool::new(self, &catalog, &before.toolsets),
        };
        let resources = before.resources.get().map(|resources| resources.updated(&self.world(), &catalog, is_same));
        let is_as_before = match (&resources, before.resources.get()) {
            (Some(now), Some(before)) => Arc::ptr_eq(now, before),
            _ => true,
        };
        if is_same && is_as_before && !is_first && toolsets.is_same(&before.toolsets) {
            return false;
        }
        self.replace_snapshot(&mut memory, &before, (catalog, toolsets, resources), is_first)
    }

    /// Replaces the snapshot. Returns whether a client sees a change.
    fn replace_snapshot(
        &self,
        memory: &mut Memory,
        before: &Snapshot,
        (catalog, toolsets, resources): (Catalog, ToolsetPool, Option<Arc<ResourceCache>>),
        is_first: bool,
    ) -> bool {
        let is_same = before.catalog.as_ref() == Some(&catalog);
        let unserved = match &resources {
            Some(resources) => resources.findings().to_vec(),
            // No client has asked for resources yet, and creating all of them would need much memory.
            None if !is_same || is_first => Served::left_out(&self.world(), &catalog),
            None => Vec::new(),
        };
        let known = before.resources.get();
        let (after, mut findings) = match is_same {
            true => before.with_toolsets(self, toolsets, resources),
            false => {
                let (first, mut findings) = Snapshot::of_catalog(self, catalog);
                let (after, more) = first.with_toolsets(self, toolsets, resources);
                findings.extend(more);
                (after, findings)
            }
        };
        findings.extend(unserved);
        if !is_same {
            let current: ReportedFindings = findings.iter().map(|finding| self.fingerprint(finding)).collect();
            memory.reported.retain(|finding| current.contains(finding));
        }
        self.report_new(&mut memory.reported, &findings);
        let prompts = !is_same && !after.has_prompts_of(before, &self.reserved);
        let resources = match (known, after.resources.get()) {
            (Some(known), Some(resources)) => resources.differs_from(known),
            _ => !is_same,
        };
        if is_first && after.toolsets.is_empty() {
            // A client that never asks for the tools knows those at the time of the instructions. If there are
            // toolsets, they still have to be loaded.
            match is_same {
                true => self.assume_known(after.tools()),
                false => self.assume_known(before.with_toolsets(self, ToolsetPool::default(), None).0.tools()),
            }
        }
        *locked(&self.current) = Arc::new(after);
        let tools = self.update_known_tools();
        self.announce(tools, prompts, resources);
        tools || prompts || resources
    }

    /// Calls a function with the resources, which are created at the first call. The snapshot is not refreshed
    /// meanwhile, so the next refresh compares everything that was listed.
    pub(super) fn with_resources<T>(&self, ask: impl FnOnce(&Arc<ResourceCache>) -> T) -> T {
        let _no_look = locked(&self.memory);
        let now = self.snapshot();
        ask(now.resources.get_or_init(|| {
            let resources = now.catalog.as_ref().map(|catalog| ResourceCache::new(&self.world(), catalog));
            Arc::new(resources.unwrap_or_default())
        }))
    }
}
