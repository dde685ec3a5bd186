//! The state of the server: the snapshot that answers are made from, notifications about changes, and the blocking
//! threads on which answers are made and processes run. `refresh` updates the snapshot.

use super::McpArgs;
use super::find::Search;
use super::news::Told;
use super::notices::Notices;
use super::output::Output;
use super::refresh::Memory;
use super::sent::Conversation;
use super::snapshot::Snapshot;
use crate::args::GlobalOptions;
use crate::copies::before_a_call;
use crate::output::findings;
use crate::reply::Failure;
use crate::setup::Setup;
use rmcp::ErrorData;
use rmcp::model::Tool;
use skilltree::host::{CancelToken, Limits};
use skilltree::{Catalog, Diagnostic, Digest, IncrementalDiscovery, World};
use std::collections::HashSet;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, Semaphore, watch};

/// Maximum number of scripts, tools, commands and agents that run at the same time; others wait.
const MAX_RUNS: u32 = 16;

/// How many reported findings of requests are remembered.
const MAX_REPORTED: usize = 10_000;

/// How often each list has changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Versions {
    pub(super) tools: u64,
    pub(super) prompts: u64,
    pub(super) resources: u64,
}

/// The fingerprints of findings that were reported.
pub(super) type ReportedFindings = HashSet<Digest>;

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
    pub(super) refreshes_started: AtomicU64,
    /// Held by the request that refreshes the snapshot.
    pub(super) refresh_turn: tokio::sync::Mutex<()>,
    /// Notified when a request has been received.
    pub(super) request_received: Notify,
    versions: watch::Sender<Versions>,
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
        Ok(Engine {
            current: Mutex::new(Arc::new(Snapshot::default())),
            known_tools: Mutex::new(None),
            copying: Mutex::new(()),
            memory: Mutex::new(Memory::new(IncrementalDiscovery::new(setup.dialect.clone()))),
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

    /// The current snapshot.
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
    pub(super) fn assume_known(&self, tools: Vec<Tool>) {
        locked(&self.known_tools).get_or_insert(tools);
    }

    /// Whether the tools differ from those that the client knows; it is assumed to know them from now on. False if it
    /// knows none yet, while toolsets are loaded for the first time.
    pub(super) fn update_known_tools(&self) -> bool {
        let mut known = locked(&self.known_tools);
        let tools = self.snapshot().tools();
        let is_other = known.as_ref().is_some_and(|known| *known != tools);
        if is_other {
            *known = Some(tools);
        }
        is_other
    }

    /// Drops the snapshot, which ends the processes of toolsets.
    pub(super) fn drop_snapshot(&self) {
        *locked(&self.current) = Arc::default();
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
    pub(super) fn report_new(&self, reported: &mut ReportedFindings, found: &[Diagnostic]) {
        let new: Vec<Diagnostic> =
            found.iter().filter(|finding| reported.insert(self.fingerprint(finding))).cloned().collect();
        self.notices.push(findings::of_server(&self.setup.fs, &new));
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

    /// The limits of scripts, tools and commands.
    pub(super) fn limits(&self) -> Limits {
        self.with_timeout(Limits::default())
    }

    /// The limits of the agent.
    pub(super) fn agent_limits(&self) -> Limits {
        self.with_timeout(Limits::of_agent())
    }

    /// Limits with the running time that the user has set, if any.
    pub(super) fn with_timeout(&self, limits: Limits) -> Limits {
        self.ask.timeout.map_or(limits, |seconds| limits.with_time(Duration::from_secs(seconds)))
    }

    /// The interval between refreshes; `None` if there are none after the first.
    pub(super) fn poll_interval(&self) -> Option<Duration> {
        (self.ask.poll != 0).then(|| Duration::from_secs(self.ask.poll))
    }

    /// The versions of the lists, which start when the session begins.
    pub(super) fn subscribe_to_changes(&self) -> watch::Receiver<Versions> {
        self.versions.subscribe()
    }

    /// Stops everything that is running and prevents anything from starting.
    pub(super) fn close(&self) {
        self.is_closing.send_replace(true);
    }

    /// Waits until the engine is closed.
    pub(super) async fn wait_until_closed(&self) {
        // The engine owns the sender, so this cannot fail.
        let _ = self.is_closing.subscribe().wait_for(|is_closing| *is_closing).await;
    }

    /// Waits until nothing is running.
    pub(super) async fn wait_until_idle(&self) {
        let _ = self.runs.acquire_many(MAX_RUNS).await;
    }

    /// Waits until the output has room for an answer, or is closed.
    pub(super) async fn wait_for_output_room(&self) {
        if let Some(output) = self.output.get() {
            output.has_room().await;
        }
    }

    /// Runs a function on a blocking thread.
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
