//! The state of the server: the snapshot that answers are made from, notifications about changes, and the blocking
//! threads on which answers are made and processes run.
//!
//! The first discovery is fast, as the instructions of the server wait for it; the first refresh adds everything else
//! and remembers what it read. Later refreshes list and read only what has changed according to the stamps. A refresh is
//! made at intervals and for requests; requests that wait for a refresh share one.

use super::conversation::{Conversation, Instructions, Told};
use super::convert::server_info;
use super::notices::Notices;
use super::resources::ResourceCache;
use super::tools::{self, Offer, Search};
use super::toolset_pool::ToolsetPool;
use super::transport::Output;
use super::{McpArgs, prompts};
use crate::answer::note_line;
use crate::args::GlobalOptions;
use crate::output::findings;
use crate::output::no_skills::no_skills_message;
use crate::output::text::folded;
use crate::policy::Breach;
use crate::reply::Failure;
use crate::setup::Setup;
use crate::sync::before_a_call;
use rmcp::ErrorData;
use rmcp::model::{ServerCapabilities, ServerConfig, Tool};
use skilltree::host::{CancelToken, Limits};
use skilltree::package::Served;
use skilltree::{
    Caller, Catalog, Commands, Diagnostic, Digest, FsPath, IncrementalDiscovery, Skill, State, World, visible,
};
use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, Semaphore, watch};

/// Maximum number of scripts, tools, commands and agents that run at the same time; others wait.
const MAX_RUNS: u32 = 16;

/// How many reported findings of requests are remembered.
const MAX_REPORTED: usize = 10_000;

/// How many skills that policies block are named.
const MAX_BLOCKED: usize = 8;

/// How often each list has changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Versions {
    pub(super) tools: u64,
    pub(super) prompts: u64,
    pub(super) resources: u64,
}

/// The fingerprints of findings that were reported.
type ReportedFindings = HashSet<Digest>;

/// Everything that answers are made from.
pub(super) struct Engine {
    pub(super) setup: Setup,
    pub(super) ask: McpArgs,
    pub(super) reserved: Vec<String>,
    pub(super) current: Mutex<Arc<Snapshot>>,
    /// The tools that the client knows, from a list or from a notification that they have changed.
    known_tools: Mutex<Option<Vec<Tool>>>,
    /// Held while skills are copied to the activation root.
    copying: Mutex<()>,
    pub(super) memory: Mutex<Memory>,
    /// Whether the first snapshot exists.
    pub(super) has_begun: watch::Sender<bool>,
    /// How many refreshes have been started.
    refreshes_started: AtomicU64,
    /// Held by the request that refreshes the snapshot.
    refresh_turn: tokio::sync::Mutex<()>,
    /// Notified when a request has been received.
    pub(super) request_received: Notify,
    /// The versions of the lists, which start when the session begins.
    pub(super) versions: watch::Sender<Versions>,
    is_closing: watch::Sender<bool>,
    runs: Arc<Semaphore>,
    /// The texts of skills that were sent to the client.
    pub(super) conversation: Conversation,
    pub(super) search: Search,
    /// The skills that the model was told about.
    pub(super) told: Told,
    /// The queue for standard error.
    pub(super) notices: Notices,
    /// The queue for standard output, once there is a session.
    pub(super) output: OnceLock<Output>,
}

impl Engine {
    pub(super) fn new(options: &GlobalOptions, ask: McpArgs) -> Result<Engine, Failure> {
        let setup = Setup::new(options)?;
        let live = IncrementalDiscovery::new(setup.dialect.clone());
        Ok(Engine {
            current: Mutex::new(Arc::new(Snapshot::default())),
            known_tools: Mutex::new(None),
            copying: Mutex::new(()),
            memory: Mutex::new(Memory {
                live,
                reported: HashSet::new(),
                reported_by_requests: HashSet::new(),
                blocked: Vec::new(),
            }),
            has_begun: watch::Sender::new(false),
            refreshes_started: AtomicU64::new(0),
            refresh_turn: tokio::sync::Mutex::new(()),
            request_received: Notify::new(),
            versions: watch::Sender::new(Versions::default()),
            is_closing: watch::Sender::new(false),
            runs: Arc::new(Semaphore::new(MAX_RUNS as usize)),
            reserved: options.reserved.clone(),
            setup,
            ask,
            conversation: Conversation::default(),
            search: Search::default(),
            told: Told::default(),
            notices: Notices::new(),
            output: OnceLock::new(),
        })
    }

    pub(super) fn world(&self) -> World<'_> {
        self.setup.world()
    }

    pub(super) fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&locked(&self.current))
    }

    /// Loads new toolsets, each in a task of its own, and announces their tools.
    pub(super) fn load_toolsets(self: &Arc<Self>) {
        for slot in self.snapshot().toolsets.take_unloaded() {
            let engine = Arc::clone(self);
            tokio::spawn(async move {
                let loading = Arc::clone(&slot);
                let loaded = engine
                    .run_cancellable(slot.wait_until_retired(), move |engine, stop| loading.load(engine, stop))
                    .await;
                if loaded.is_ok() && engine.run_blocking(Engine::update_tools).await.is_ok() {
                    slot.set_ready();
                }
            });
        }
    }

    /// Updates the list of tools after a toolset was loaded.
    fn update_tools(&self) {
        let (unlisted, changed) = {
            let _one_at_a_time = locked(&self.memory);
            let (after, unlisted) = self.snapshot().with_tools(self);
            *locked(&self.current) = Arc::new(after);
            (unlisted, self.update_known_tools())
        };
        self.report(&unlisted);
        self.announce(changed, false, false);
    }

    /// Notifies the client about the lists that have changed.
    pub(super) fn announce(&self, tools: bool, prompts: bool, resources: bool) {
        self.versions.send_if_modified(|versions| {
            versions.tools += u64::from(tools);
            versions.prompts += u64::from(prompts);
            versions.resources += u64::from(resources);
            tools || prompts || resources
        });
    }

    /// The list of tools for the client, which knows them from now on.
    pub(super) fn tools(&self) -> Vec<Tool> {
        let mut known = locked(&self.known_tools);
        known.insert(self.snapshot().tools()).clone()
    }

    /// Assumes that the client knows these tools, unless it has asked for a list.
    fn assume_known(&self, tools: Vec<Tool>) {
        locked(&self.known_tools).get_or_insert(tools);
    }

    /// Whether the tools differ from those that the client knows; it is assumed to know them from now on. False if it
    /// knows none yet, while toolsets are loaded for the first time.
    fn update_known_tools(&self) -> bool {
        let mut known = locked(&self.known_tools);
        let tools = self.snapshot().tools();
        let is_other = known.as_ref().is_some_and(|known| *known != tools);
        if is_other {
            *known = Some(tools);
        }
        is_other
    }

    /// Reports the findings of a request to standard error, each once.
    pub(super) fn report(&self, found: &[Diagnostic]) {
        let mut memory = locked(&self.memory);
        if MAX_REPORTED < memory.reported_by_requests.len() {
            // Findings may be reported again after this.
            memory.reported_by_requests.clear();
        }
        self.report_new(&mut memory.reported_by_requests, found);
    }

    /// Reports the findings that have not been reported yet.
    fn report_new(&self, reported: &mut ReportedFindings, found: &[Diagnostic]) {
        let new: Vec<Diagnostic> =
            found.iter().filter(|finding| reported.insert(self.fingerprint(finding))).cloned().collect();
        self.notices.push(findings::of_server(&self.setup.fs, &new));
    }

    /// Tells the user which skills are blocked by which line of a policy, each once. The model is not told.
    fn report_blocked(&self, memory: &mut Memory, catalog: &Catalog) {
        let Some(gate) = &self.setup.machine.gate else { return };
        let off = catalog.skills().iter().filter(|skill| skill.state == State::Disabled);
        let mut blocked = off.filter_map(|skill| Some((skill, gate.refusal(skill)?)));
        let line = |(skill, breach): (&Skill, Breach)| {
            note_line(&format!("`{}` is {}", visible(&skill.key), folded(&breach.told())))
        };
        let mut current: Vec<String> = blocked.by_ref().take(MAX_BLOCKED).map(line).collect();
        // Each takes a while, as all files of the skill are read.
        if blocked.next().is_some() {
            current.push(note_line("more skills are blocked by policies; `skilltree verify` names them"));
        }
        self.notices.push(current.iter().filter(|line| !memory.blocked.contains(line)).cloned().collect());
        memory.blocked = current;
    }

    /// Updates the activation root, if the dialect does so before each call.
    pub(super) fn sync(&self, catalog: &Catalog) {
        let failed = {
            let _one_at_a_time = locked(&self.copying);
            before_a_call(&self.setup, catalog)
        };
        self.report(&failed);
    }

    /// The fingerprint of a finding. There may be as many findings as skills, so they are not stored themselves.
    pub(super) fn fingerprint(&self, finding: &Diagnostic) -> Digest {
        Digest::of(format!("{}: {finding}", findings::place(&self.setup.fs, finding)).as_bytes())
    }

    pub(super) fn limits(&self) -> Limits {
        self.with_timeout(Limits::default())
    }

    /// Limits with the running time that the user has set, if any.
    pub(super) fn with_timeout(&self, limits: Limits) -> Limits {
        self.ask.timeout.map_or(limits, |time| limits.with_time(time))
    }

    /// The interval between refreshes; `None` if there are none after the first.
    pub(super) fn poll_interval(&self) -> Option<Duration> {
        (self.ask.poll != 0).then(|| Duration::from_secs(self.ask.poll))
    }

    /// Stops everything that is running and prevents anything from starting.
    pub(super) fn close(&self) {
        self.is_closing.send_replace(true);
    }

    pub(super) async fn wait_until_closed(&self) {
        // The engine owns the sender, so this cannot fail.
        let _ = self.is_closing.subscribe().wait_for(|is_closing| *is_closing).await;
    }

    pub(super) async fn wait_until_idle(&self) {
        let _ = self.runs.acquire_many(MAX_RUNS).await;
    }

    /// Waits until the output has room for an answer, or is closed.
    pub(super) async fn wait_for_output_room(&self) {
        if let Some(output) = self.output.get() {
            output.has_room().await;
        }
    }

    pub(super) async fn run_blocking<T: Send + 'static>(
        self: &Arc<Self>,
        make: impl FnOnce(&Engine) -> T + Send + 'static,
    ) -> Result<T, ErrorData> {
        let engine = Arc::clone(self);
        tokio::task::spawn_blocking(move || make(&engine)).await.map_err(|_| failed())
    }

    /// Like [`Engine::run_blocking`], for a function that runs a process. The token is cancelled when the client
    /// cancels the request and when the engine is closed.
    pub(super) async fn run_cancellable<T: Send + 'static>(
        self: &Arc<Self>,
        cancelled: impl Future<Output = ()>,
        make: impl FnOnce(&Engine, &CancelToken) -> T + Send + 'static,
    ) -> Result<T, ErrorData> {
        let ended = async {
            tokio::select! {
                () = cancelled => {}
                () = self.wait_until_closed() => {}
            }
        };
        tokio::pin!(ended);
        let permit = tokio::select! {
            permit = Arc::clone(&self.runs).acquire_owned() => permit.map_err(|_| failed())?,
            () = &mut ended => return Err(ErrorData::internal_error("cancelled before it started", None)),
        };
        tokio::select! {
            () = self.wait_for_output_room() => {}
            () = &mut ended => return Err(ErrorData::internal_error("cancelled before it started", None)),
        }
        let (stop, engine) = (CancelToken::new(), Arc::clone(self));
        let told = stop.clone();
        let job = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            make(&engine, &told)
        });
        tokio::pin!(job);
        let done = tokio::select! {
            done = &mut job => done,
            () = &mut ended => {
                stop.stop();
                job.await
            }
        };
        done.map_err(|_| failed())
    }
}

/// The response if a thread has panicked; the panic message is on standard error.
fn failed() -> ErrorData {
    ErrorData::internal_error("the answer could not be produced", None)
}

/// A thread that panics leaves the locked data valid, so poisoning is ignored.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What one refresh remembers for the next.
pub(super) struct Memory {
    live: IncrementalDiscovery,
    /// The findings about the current skills that were reported.
    reported: ReportedFindings,
    /// The findings of requests that were reported.
    reported_by_requests: ReportedFindings,
    /// The lines about skills that policies block which were reported.
    blocked: Vec<String>,
}

impl Engine {
    pub(super) async fn discover_first(self: &Arc<Self>) {
        let discover = |engine: &Engine| {
            let mut memory = locked(&engine.memory);
            let catalog = skilltree::discover(&engine.world(), &engine.setup.dialect);
            engine.notices.push(no_skills_message(&engine.setup, &catalog));
            let (first, findings) = Snapshot::of_catalog(engine, catalog);
            engine.report_new(&mut memory.reported, &findings);
            *locked(&engine.current) = Arc::new(first);
        };
        // If this panics, there is no snapshot, and each request returns an error.
        let _ = self.run_blocking(discover).await;
        self.has_begun.send_replace(true);
    }

    /// Waits until the first snapshot exists.
    pub(super) async fn wait_until_ready(&self) {
        // The engine owns the sender, so this cannot fail.
        let _ = self.has_begun.subscribe().wait_for(|has_begun| *has_begun).await;
    }

    /// Refreshes the snapshot before a request is answered, unless the user has turned refreshes off.
    pub(super) async fn refresh_for_request(self: &Arc<Self>) -> Result<(), ErrorData> {
        self.refresh_by(Engine::refresh).await
    }

    /// Like [`Engine::refresh_for_request`], for a file that is compared with what was listed: only the catalog has to be
    /// current.
    pub(super) async fn refresh_for_read(self: &Arc<Self>) -> Result<(), ErrorData> {
        self.refresh_by(Engine::refresh_if_changed).await
    }

    async fn refresh_by(self: &Arc<Self>, refresh: fn(&Engine) -> bool) -> Result<(), ErrorData> {
        // A refresh that was started before the request arrived may have missed later changes.
        let seen = self.refreshes_started.load(Ordering::SeqCst);
        self.wait_until_ready().await;
        let _turn = self.refresh_turn.lock().await;
        let refreshes_started = self.refreshes_started.load(Ordering::SeqCst);
        let is_frozen = self.poll_interval().is_none() && refreshes_started > 0;
        if is_frozen {
            self.run_blocking(Engine::refresh_if_hidden).await?;
        } else if refreshes_started <= seen {
            self.run_blocking(refresh).await?;
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

    /// Refreshes the snapshot if the catalog has changed. This does not count as a refresh otherwise, as a list of files
    /// that waits for one needs more. Returns whether a list has changed.
    fn refresh_if_changed(&self) -> bool {
        let now = locked(&self.memory).live.refresh(&self.world());
        let is_first = self.refreshes_started.load(Ordering::SeqCst) == 0;
        (is_first || self.snapshot().catalog.as_ref() != Some(&now)) && self.refresh()
    }

    /// Refreshes the snapshot if one of its skills has been hidden from the model, or commands have been forbidden: the user may
    /// turn refreshes off, but what is hidden is not given. A skill that is gone cannot be read anyway, and may come back.
    fn refresh_if_hidden(&self) {
        let now = locked(&self.memory).live.refresh(&self.world());
        let is_offered = |skill: &Skill| skill.is_for(Caller::Model) && skill.state != State::Disabled;
        let hidden: HashSet<&FsPath> =
            now.skills().iter().filter(|one| !is_offered(one)).map(|one| &one.path).collect();
        let then = self.snapshot();
        let skills = then.catalog.as_ref().map_or(&[][..], Catalog::skills);
        let is_banned = now.bans_commands() && !then.catalog.as_ref().is_some_and(Catalog::bans_commands);
        if is_banned || skills.iter().any(|skill| is_offered(skill) && hidden.contains(&skill.path)) {
            self.refresh();
        }
    }

    /// Refreshes the snapshot and announces the lists that have changed. Returns whether one has.
    pub(super) fn refresh(&self) -> bool {
        let mut memory = locked(&self.memory);
        let is_first = self.refreshes_started.fetch_add(1, Ordering::SeqCst) == 0;
        let catalog = memory.live.refresh(&self.world());
        let mut before = self.snapshot();
        let is_same = before.catalog.as_ref() == Some(&catalog);
        if is_same && is_first {
            // Drop the catalog of the first discovery: `memory` has an equal one, and sharing it saves memory.
            before = Arc::new(Snapshot { catalog: Some(catalog.clone()), ..(*before).clone() });
            *locked(&self.current) = Arc::clone(&before);
        }
        let toolsets = ToolsetPool::new(self, &catalog, &before.toolsets);
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
        if !is_same || is_first {
            self.report_blocked(memory, &catalog);
        }
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

/// The instructions as long as the skills are not known.
const UNLISTED: &str = "The list of skills is not ready yet. The descriptions of the tools say how to use skills.";

/// The result of one discovery.
#[derive(Clone, Default)]
pub(super) struct Snapshot {
    /// `None` before the first discovery and after the server has ended.
    pub(super) catalog: Option<Catalog>,
    commands: OnceLock<Arc<Commands>>,
    pub(super) offers: Vec<Offer>,
    pub(super) toolsets: ToolsetPool,
    /// The skills as resources, once a client has requested them.
    pub(super) resources: OnceLock<Arc<ResourceCache>>,
    pub(super) instructions: Instructions,
}

impl Snapshot {
    /// The snapshot that the instructions need, and its findings.
    pub(super) fn of_catalog(engine: &Engine, catalog: Catalog) -> (Snapshot, Vec<Diagnostic>) {
        let (instructions, more) = Instructions::new(&engine.world(), &catalog);
        let mut findings = catalog.findings().to_vec();
        findings.extend(more);
        (Snapshot { catalog: Some(catalog), instructions, ..Snapshot::default() }, findings)
    }

    /// Adds the toolsets and the resources. Returns the findings about them as well.
    fn with_toolsets(
        &self,
        engine: &Engine,
        toolsets: ToolsetPool,
        resources: Option<Arc<ResourceCache>>,
    ) -> (Snapshot, Vec<Diagnostic>) {
        let Some(catalog) = &self.catalog else { return (self.clone(), Vec::new()) };
        let (offers, unlisted) = tools::offers(engine, catalog, &toolsets);
        let findings = toolsets.findings.iter().cloned().chain(unlisted).collect();
        let resources = resources.map(OnceLock::from).unwrap_or_default();
        (Snapshot { offers, toolsets, resources, ..self.clone() }, findings)
    }

    /// Updates the tools. Returns the findings about them as well.
    fn with_tools(&self, engine: &Engine) -> (Snapshot, Vec<Diagnostic>) {
        let Some(catalog) = &self.catalog else { return (self.clone(), Vec::new()) };
        let (offers, unlisted) = tools::offers(engine, catalog, &self.toolsets);
        (Snapshot { offers, ..self.clone() }, unlisted)
    }

    /// The tools, in the order in which they are listed.
    pub(super) fn tools(&self) -> Vec<Tool> {
        self.offers.iter().map(|offer| offer.tool.clone()).collect()
    }

    pub(super) fn commands(&self, reserved: &[String]) -> &Arc<Commands> {
        self.commands.get_or_init(|| {
            let commands = self.catalog.as_ref().map(|catalog| skilltree::commands(catalog, reserved));
            Arc::new(commands.unwrap_or_default())
        })
    }

    /// Whether both snapshots have the same prompts.
    fn has_prompts_of(&self, other: &Snapshot, reserved: &[String]) -> bool {
        match (&self.catalog, &other.catalog) {
            (Some(own), Some(theirs)) => {
                let (mine, others) = (self.commands(reserved), other.commands(reserved));
                prompts::prompts(own, mine).eq(prompts::prompts(theirs, others))
            }
            (own, theirs) => own.is_none() && theirs.is_none(),
        }
    }

    pub(super) fn info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_skills_with_directory_read()
            .enable_completions()
            .build();
        let info = ServerConfig::new(capabilities).with_server_info(server_info());
        match (&self.catalog, self.instructions.text.as_str()) {
            (None, _) => info.with_instructions(UNLISTED),
            (Some(_), "") => info,
            (Some(_), instructions) => info.with_instructions(instructions),
        }
    }
}
