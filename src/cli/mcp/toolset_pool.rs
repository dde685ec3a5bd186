//! The toolsets of the skills that the model may use and the user trusts. Each has a slot of its own, so that one
//! that hangs does not block the others. A toolset is reused until a file in its folder changes, and its tools are
//! listed until those of the changed one are loaded.

use super::engine::{Engine, locked};
use super::resources::stamped;
use crate::hints::{error_message, host_error_message};
use skilltree::fs::Stamp;
use skilltree::host::{CancelToken, HostError, Programs, ToolResult, ToolSpec, Toolset};
use skilltree::loading::ToolsetPlan;
use skilltree::{Caller, Catalog, Code, Diagnostic, Digest, Fs, FsPath, Json, Severity, Skill};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use tokio::sync::watch;

/// Maximum size of a file whose contents are compared if its stamp has changed. A larger file counts as changed.
const MAX_FILE_BYTES: u64 = 16_777_216;

/// The toolsets of one snapshot.
#[derive(Clone, Default)]
pub(super) struct ToolsetPool {
    slots: Vec<Arc<Slot>>,
    /// Findings about declared toolsets that are missing or not trusted.
    pub(super) findings: Vec<Diagnostic>,
}

/// The stamp and the digest of a file, if it has them; they are compared to see whether it has changed.
type File = (Option<Stamp>, Option<Digest>);
type Files = BTreeMap<FsPath, File>;

pub(super) struct Slot {
    plan: ToolsetPlan,
    files: Mutex<Files>,
    toolset: Mutex<Toolset>,
    loaded: OnceLock<Loaded>,
    /// The tools of the toolset that this one replaces.
    before: Vec<ToolSpec>,
    has_begun: AtomicBool,
    /// Whether its skill is no longer trusted, or not with these contents; running calls are then stopped.
    is_retired: watch::Sender<bool>,
    is_ready: watch::Sender<bool>,
}

/// The tools and findings of a loaded toolset.
#[derive(Default)]
struct Loaded {
    tools: Vec<ToolSpec>,
    findings: Vec<Diagnostic>,
}

impl ToolsetPool {
    /// The current toolsets. Those that have not changed are taken from `before` and stay loaded.
    pub(super) fn new(engine: &Engine, catalog: &Catalog, before: &ToolsetPool) -> ToolsetPool {
        let mut pool = ToolsetPool::default();
        if !engine.ask.allow_run {
            return pool;
        }
        let programs = Programs::of_environment();
        let declared = |skill: &&Skill| skill.is_for(Caller::Model) && !skill.frontmatter.run().toolsets.is_empty();
        for skill in catalog.skills().iter().filter(declared) {
            match skilltree::loading::ToolsetPlans::of(&engine.world(), catalog, skill) {
                Ok(toolsets) => {
                    pool.findings.extend(toolsets.findings);
                    let slots =
                        toolsets.plans.into_iter().map(|plan| Slot::new(engine, (skill, &programs), plan, before));
                    pool.slots.extend(slots);
                }
                Err(error) => {
                    let message = format!("its toolsets are not loaded: {}", error_message(&error));
                    let path = skill.path.clone();
                    pool.findings.push(Diagnostic::new(Severity::Warning, Code::ToolsetFailed, path, message));
                }
            }
        }
        for slot in before.slots.iter().filter(|slot| !pool.slots.iter().any(|now| now.is_same_toolset(slot))) {
            slot.is_retired.send_replace(true);
        }
        pool
    }

    /// Whether both pools contain the same slots and findings.
    pub(super) fn is_same(&self, other: &ToolsetPool) -> bool {
        let are_same = |(own, theirs): (&Arc<Slot>, &Arc<Slot>)| Arc::ptr_eq(own, theirs);
        self.slots.len() == other.slots.len()
            && self.slots.iter().zip(&other.slots).all(are_same)
            && self.findings == other.findings
    }

    pub(super) fn tools(&self) -> impl Iterator<Item = (&Arc<Slot>, &ToolSpec)> {
        self.slots.iter().flat_map(|slot| slot.known_tools().iter().map(move |tool| (slot, tool)))
    }

    pub(super) fn loading_findings(&self) -> impl Iterator<Item = &Diagnostic> {
        self.slots.iter().filter_map(|slot| slot.loaded.get()).flat_map(|loaded| &loaded.findings)
    }

    /// The toolsets that have not been loaded yet; the caller has to load them.
    pub(super) fn take_unloaded(&self) -> Vec<Arc<Slot>> {
        self.slots.iter().filter(|slot| !slot.has_begun.swap(true, Ordering::Relaxed)).cloned().collect()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Waits until all toolsets are loaded.
    pub(super) async fn wait_until_loaded(&self) {
        for slot in &self.slots {
            // The slot owns the sender, so this cannot fail.
            let _ = slot.is_ready.subscribe().wait_for(|is_ready| *is_ready).await;
        }
    }
}

/// The skill's files in the folder of a toolset's file, which it may import. Those that are `known` are read only if their
/// stamps have changed.
fn files(engine: &Engine, skill: &Skill, plan: &ToolsetPlan, known: &Files) -> Files {
    let (world, fs) = (engine.world(), &engine.setup.fs);
    // The paths of the plan are real ones.
    let folder = plan.file.parent().and_then(|folder| folder.relative_to(&plan.dir).map(str::to_owned));
    let folder = folder.and_then(|folder| skill.path.parent()?.join(&folder).ok());
    let is_in_folder = |path: &FsPath| folder.as_ref().is_some_and(|folder| path.relative_to(folder).is_some());
    let mut paths = skill.files(&world);
    paths.retain(is_in_folder);
    paths.push(plan.file.clone());
    let stamps = stamped(&world, paths.iter());
    let digest = |path: &FsPath| {
        let read = fs.read(path, MAX_FILE_BYTES).ok();
        read.filter(|head| head.len == head.bytes.len() as u64).map(|head| Digest::of(&head.bytes))
    };
    let file = |path: FsPath| {
        let stamp = stamps.get(&path).cloned();
        let known = known.get(&path).filter(|known| stamp.is_some() && known.0 == stamp);
        let digest = known.map_or_else(|| digest(&path), |known| known.1);
        (path, (stamp, digest))
    };
    paths.into_iter().map(file).collect()
}

/// Whether these are the same files with the same contents.
fn are_same(files: &Files, others: &Files) -> bool {
    let is_same = |(file, other): (&File, &File)| {
        (file.0.is_some() && file.0 == other.0) || (file.1.is_some() && file.1 == other.1)
    };
    files.keys().eq(others.keys()) && files.values().zip(others.values()).all(is_same)
}

impl Slot {
    fn new(
        engine: &Engine,
        (skill, programs): (&Skill, &Programs),
        plan: ToolsetPlan,
        before: &ToolsetPool,
    ) -> Arc<Slot> {
        let known = before.slots.iter().find(|slot| slot.plan == plan && !*slot.is_retired.borrow());
        let known_files = known.map(|slot| locked(&slot.files).clone()).unwrap_or_default();
        let files = files(engine, skill, &plan, &known_files);
        if let Some(slot) = known.filter(|_| are_same(&files, &known_files)) {
            *locked(&slot.files) = files;
            return Arc::clone(slot);
        }
        let toolset = Toolset::new(&engine.setup.fs, plan.clone(), programs, engine.limits());
        Arc::new(Slot {
            plan,
            files: Mutex::new(files),
            toolset: Mutex::new(toolset),
            loaded: OnceLock::new(),
            before: known.map(|slot| slot.known_tools().to_vec()).unwrap_or_default(),
            has_begun: AtomicBool::new(false),
            is_retired: watch::Sender::new(false),
            is_ready: watch::Sender::new(false),
        })
    }

    /// Whether this is the same toolset, with the same contents if they are pinned.
    fn is_same_toolset(&self, other: &Slot) -> bool {
        let what = |slot: &Slot| (slot.plan.key.clone(), slot.plan.spec.clone(), slot.plan.expected_contents.clone());
        what(self) == what(other)
    }

    /// Waits until the toolset must not run any more.
    pub(super) async fn wait_until_retired(&self) {
        // The slot owns the sender, so this cannot fail.
        let _ = self.is_retired.subscribe().wait_for(|is_retired| *is_retired).await;
    }

    /// Its tools, or those of its predecessor until it is loaded.
    fn known_tools(&self) -> &[ToolSpec] {
        self.loaded.get().map_or(&self.before, |loaded| &loaded.tools)
    }

    pub(super) fn key(&self) -> &str {
        &self.plan.key
    }

    pub(super) fn finding(&self, severity: Severity, code: Code, message: String) -> Diagnostic {
        Diagnostic::new(severity, code, self.plan.file.clone(), message)
    }

    pub(super) fn load(&self, engine: &Engine, stop: &CancelToken) {
        let Some(catalog) = &engine.snapshot().catalog else { return };
        let mut toolset = locked(&self.toolset);
        let loaded = match toolset.tools(&engine.world(), catalog, stop).map(<[ToolSpec]>::to_vec) {
            Ok(tools) => Loaded { tools, findings: toolset.findings().to_vec() },
            Err(error) => {
                if matches!(error, HostError::Refused(_)) {
                    // Its files were replaced meanwhile. The next refresh may find them as they were approved.
                    self.is_retired.send_replace(true);
                }
                let failed = self.finding(Severity::Error, Code::ToolsetFailed, host_error_message(&error));
                Loaded { tools: Vec::new(), findings: vec![failed] }
            }
        };
        let _ = self.loaded.set(loaded);
    }

    /// Reports that its tools are listed from now on.
    pub(super) fn set_ready(&self) {
        self.is_ready.send_replace(true);
    }

    pub(super) fn call(
        &self,
        (engine, catalog): (&Engine, &Catalog),
        tool: &str,
        arguments: &Json,
        stop: &CancelToken,
    ) -> Result<ToolResult, HostError> {
        let mut toolset = locked(&self.toolset);
        toolset.call(&engine.world(), catalog, tool, arguments, stop)
    }
}
