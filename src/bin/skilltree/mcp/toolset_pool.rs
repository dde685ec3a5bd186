//! In: a catalog. Out: a [`ToolsetPool`]: the toolsets of the skills that the model may see and the user trusts, each in a
//! slot of its own, so that one that hangs keeps no other waiting. A toolset stays as it is until its file changes,
//! and what it had is listed until the changed one is loaded.
//! Absent: what a tool is called to clients, and how a toolset is loaded (the library).

use super::engine::Engine;
use crate::hints::{error_message, host_error_message};
use skilltree::answers::ToolsetPlan;
use skilltree::fs::Stamp;
use skilltree::host::{CancelToken, HostError, Programs, ToolResult, ToolSpec, Toolset};
use skilltree::{Caller, Catalog, Code, Diagnostic, Digest, Error, Fs, Json, Severity, Skill};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use tokio::sync::watch;

/// How much of a toolset's file is compared where no stamp vouches for it. A larger one counts as changed.
const MAX_FILE_BYTES: u64 = 16_777_216;

/// The toolsets of one look.
#[derive(Clone, Default)]
pub(super) struct ToolsetPool {
    slots: Vec<Arc<Slot>>,
    /// What is declared and is not there, or is not trusted.
    pub(super) findings: Vec<Diagnostic>,
}

/// One toolset.
pub(super) struct Slot {
    plan: ToolsetPlan,
    /// What vouches for its file; where there is none, what the file holds does.
    stamp: Mutex<Option<Stamp>>,
    digest: Option<Digest>,
    toolset: Mutex<Toolset>,
    loaded: OnceLock<Loaded>,
    /// The tools of the one that it takes the place of.
    before: Vec<ToolSpec>,
    has_begun: AtomicBool,
    /// Whether its skill is not trusted any more, or no longer with these contents: what runs of it is ended.
    is_retired: watch::Sender<bool>,
    is_ready: watch::Sender<bool>,
}

/// What there is to know of a toolset once it has been asked.
#[derive(Default)]
struct Loaded {
    tools: Vec<ToolSpec>,
    findings: Vec<Diagnostic>,
}

impl ToolsetPool {
    /// The toolsets as they are now; those that have not changed are the ones from before, as they run.
    pub(super) fn new(engine: &Engine, catalog: &Catalog, before: &ToolsetPool) -> ToolsetPool {
        let mut bench = ToolsetPool::default();
        if !engine.ask.allow_run {
            return bench;
        }
        let programs = Programs::of_environment();
        let declared = |skill: &&Skill| skill.is_for(Caller::Model) && !skill.frontmatter.run().toolsets.is_empty();
        for skill in catalog.skills().iter().filter(declared) {
            match skilltree::answers::toolsets(&engine.world(), catalog, skill) {
                Ok(toolsets) => {
                    bench.findings.extend(toolsets.findings);
                    let slots = toolsets.plans.into_iter().map(|plan| Slot::new(engine, &programs, plan, before));
                    bench.slots.extend(slots);
                }
                Err(error) => bench.findings.push(not_loaded(skill, &error)),
            }
        }
        for slot in before.slots.iter().filter(|slot| !bench.slots.iter().any(|now| now.is_same_toolset(slot))) {
            slot.is_retired.send_replace(true);
        }
        bench
    }

    /// Whether these are the very toolsets of another, with the same findings.
    pub(super) fn is_same(&self, other: &ToolsetPool) -> bool {
        let are_same = |(own, theirs): (&Arc<Slot>, &Arc<Slot>)| Arc::ptr_eq(own, theirs);
        self.slots.len() == other.slots.len()
            && self.slots.iter().zip(&other.slots).all(are_same)
            && self.findings == other.findings
    }

    /// Each slot, with the tools that are known of it.
    pub(super) fn tools(&self) -> impl Iterator<Item = (&Arc<Slot>, &ToolSpec)> {
        self.slots.iter().flat_map(|slot| slot.known_tools().iter().map(move |tool| (slot, tool)))
    }

    /// What the toolsets said of themselves.
    pub(super) fn loading_findings(&self) -> impl Iterator<Item = &Diagnostic> {
        self.slots.iter().filter_map(|slot| slot.loaded.get()).flat_map(|loaded| &loaded.findings)
    }

    /// The toolsets that nobody has begun to load, to be loaded by who asks.
    pub(super) fn take_unloaded(&self) -> Vec<Arc<Slot>> {
        self.slots.iter().filter(|slot| !slot.has_begun.swap(true, Ordering::Relaxed)).cloned().collect()
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Waits until all are loaded.
    pub(super) async fn wait_until_loaded(&self) {
        for slot in &self.slots {
            // The sender is the slot's own, so the only error there could be is none.
            let _ = slot.is_ready.subscribe().wait_for(|is_ready| *is_ready).await;
        }
    }
}

impl Slot {
    fn new(engine: &Engine, programs: &Programs, plan: ToolsetPlan, before: &ToolsetPool) -> Arc<Slot> {
        let fs = &engine.setup.fs;
        let stamp = fs.metadata(&plan.file).ok().flatten().and_then(|look| look.stamp);
        let known = before.slots.iter().find(|slot| slot.plan == plan && !*slot.is_retired.borrow());
        let is_stamped = |slot: &&Arc<Slot>| stamp.is_some() && *slot.stamp() == stamp;
        if let Some(slot) = known.filter(is_stamped) {
            return Arc::clone(slot);
        }
        let read = fs.read(&plan.file, MAX_FILE_BYTES).ok();
        let digest = read.filter(|head| head.len == head.bytes.len() as u64).map(|head| Digest::of(&head.bytes));
        if let Some(slot) = known.filter(|slot| digest.is_some() && slot.digest == digest) {
            *slot.stamp() = stamp;
            return Arc::clone(slot);
        }
        let toolset = Toolset::new(fs, plan.clone(), programs, engine.limits());
        Arc::new(Slot {
            plan,
            stamp: Mutex::new(stamp),
            digest,
            toolset: Mutex::new(toolset),
            loaded: OnceLock::new(),
            before: known.map(|slot| slot.known_tools().to_vec()).unwrap_or_default(),
            has_begun: AtomicBool::new(false),
            is_retired: watch::Sender::new(false),
            is_ready: watch::Sender::new(false),
        })
    }

    fn stamp(&self) -> MutexGuard<'_, Option<Stamp>> {
        self.stamp.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it is the same toolset as another, with the same contents if they are pinned.
    fn is_same_toolset(&self, other: &Slot) -> bool {
        let what = |slot: &Slot| (slot.plan.key.clone(), slot.plan.spec.clone(), slot.plan.pinned.clone());
        what(self) == what(other)
    }

    /// Waits until it is not to be run any more.
    pub(super) async fn wait_until_retired(&self) {
        // The sender is the slot's own, so the only error there could be is none.
        let _ = self.is_retired.subscribe().wait_for(|is_retired| *is_retired).await;
    }

    /// Its tools, as far as they are known.
    fn known_tools(&self) -> &[ToolSpec] {
        self.loaded.get().map_or(&self.before, |loaded| &loaded.tools)
    }

    /// The skill that it belongs to.
    pub(super) fn key(&self) -> &str {
        &self.plan.key
    }

    /// A finding about its file.
    pub(super) fn finding(&self, severity: Severity, code: Code, message: String) -> Diagnostic {
        Diagnostic::new(severity, code, self.plan.file.clone(), message)
    }

    /// Asks it for its tools.
    pub(super) fn load(&self, engine: &Engine, stop: &CancelToken) {
        let Some(catalog) = &engine.snapshot().catalog else { return };
        let mut toolset = self.toolset.lock().unwrap_or_else(PoisonError::into_inner);
        let loaded = match toolset.tools(&engine.world(), catalog, stop).map(<[ToolSpec]>::to_vec) {
            Ok(tools) => Loaded { tools, findings: toolset.findings().to_vec() },
            Err(error) => {
                if matches!(error, HostError::Refused(_)) {
                    // Its files were exchanged meanwhile. The next look may find them as they were approved.
                    self.is_retired.send_replace(true);
                }
                let failed = self.finding(Severity::Error, Code::ToolsetFailed, host_error_message(&error));
                Loaded { tools: Vec::new(), findings: vec![failed] }
            }
        };
        let _ = self.loaded.set(loaded);
    }

    /// Says that its tools are listed from now on.
    pub(super) fn set_ready(&self) {
        self.is_ready.send_replace(true);
    }

    /// Calls a tool of it.
    pub(super) fn call(
        &self,
        (engine, catalog): (&Engine, &Catalog),
        tool: &str,
        arguments: &Json,
        stop: &CancelToken,
    ) -> Result<ToolResult, HostError> {
        let mut toolset = self.toolset.lock().unwrap_or_else(PoisonError::into_inner);
        toolset.call(&engine.world(), catalog, tool, arguments, stop)
    }
}

fn not_loaded(skill: &Skill, error: &Error) -> Diagnostic {
    let message = format!("its toolsets are not loaded: {}", error_message(error));
    Diagnostic::new(Severity::Warning, Code::ToolsetFailed, skill.path.clone(), message)
}
