//! In: where to look, and what a client may have. Out: the snapshot that answers are made from, announced where an
//! answer has changed; threads on which answers are made and processes run.
//! Absent: how it is made (`look`), and the protocol.

use super::McpArgs;
use super::notices::Notices;
use super::output::Output;
use super::refresh::Memory;
use super::sent::Sent;
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

/// How many scripts, tools, commands and agents may run at a time. Who comes later waits.
const MAX_RUNS: u32 = 16;

/// How many findings of answers are remembered.
const MAX_REPORTED: usize = 10_000;

/// How often the answer of each list has changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Versions {
    pub(super) tools: u64,
    pub(super) prompts: u64,
    pub(super) resources: u64,
}

/// Findings, by what they are known by.
pub(super) type ReportedFindings = HashSet<Digest>;

/// What every answer is made from.
pub(super) struct Engine {
    pub(super) setup: Setup,
    pub(super) ask: McpArgs,
    pub(super) reserved: Vec<String>,
    pub(super) current: Mutex<Arc<Snapshot>>,
    /// The tools that a client was last told of, by a list or by saying that they are others.
    known_tools: Mutex<Option<Vec<Tool>>>,
    /// ListedSkill while copies for use are made.
    copying: Mutex<()>,
    pub(super) memory: Mutex<Memory>,
    /// Whether the first look was made.
    pub(super) has_begun: watch::Sender<bool>,
    /// How many looks have begun after the first.
    pub(super) refreshes_started: AtomicU64,
    /// The turn of the one request that looks.
    pub(super) refresh_turn: tokio::sync::Mutex<()>,
    /// That a request has come.
    pub(super) request_received: Notify,
    versions: watch::Sender<Versions>,
    is_closing: watch::Sender<bool>,
    runs: Arc<Semaphore>,
    /// What the client was given of skills.
    pub(super) sent: Sent,
    /// What is said on standard error.
    pub(super) notices: Notices,
    /// The way to the client, once there is one.
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
            sent: Sent::default(),
            notices: Notices::new(),
            output: OnceLock::new(),
        })
    }

    pub(super) fn world(&self) -> World<'_> {
        self.setup.world()
    }

    /// What there was at the last look.
    pub(super) fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&locked(&self.current))
    }

    /// Loads the toolsets that are new, each by itself, and announces their tools.
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

    /// Lists the tools that are known by now.
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

    /// Announces the lists whose answer has changed.
    pub(super) fn announce(&self, tools: bool, prompts: bool, resources: bool) {
        self.versions.send_if_modified(|versions| {
            versions.tools += u64::from(tools);
            versions.prompts += u64::from(prompts);
            versions.resources += u64::from(resources);
            tools || prompts || resources
        });
    }

    /// The tools, for a client.
    pub(super) fn tools(&self) -> Vec<Tool> {
        let mut known = locked(&self.known_tools);
        known.insert(self.snapshot().tools()).clone()
    }

    /// Takes these tools to be known to a client that has asked for no list.
    pub(super) fn assume_known(&self, tools: Vec<Tool>) {
        locked(&self.known_tools).get_or_insert(tools);
    }

    /// Whether the tools are not those that a client knows, which are then taken to be known. Nothing is known yet while
    /// toolsets are loaded for the first time.
    pub(super) fn update_known_tools(&self) -> bool {
        let mut known = locked(&self.known_tools);
        let tools = self.snapshot().tools();
        let is_other = known.as_ref().is_some_and(|known| *known != tools);
        if is_other {
            *known = Some(tools);
        }
        is_other
    }

    /// Lets go of everything, and so ends the processes of toolsets.
    pub(super) fn drop_snapshot(&self) {
        *locked(&self.current) = Arc::default();
    }

    /// Says on standard error what was found while answering, once.
    pub(super) fn report(&self, found: &[Diagnostic]) {
        let mut memory = locked(&self.memory);
        if MAX_REPORTED < memory.reported_by_requests.len() {
            // What was forgotten may be said again.
            memory.reported_by_requests.clear();
        }
        self.report_new(&mut memory.reported_by_requests, found);
    }

    /// Says on standard error what has no mark yet, which it has from then on.
    pub(super) fn report_new(&self, reported: &mut ReportedFindings, found: &[Diagnostic]) {
        let new: Vec<Diagnostic> =
            found.iter().filter(|finding| reported.insert(self.fingerprint(finding))).cloned().collect();
        self.notices.push(findings::of_server(&self.setup.fs, &new));
    }

    /// Brings the copies for use up to date, where the dialect has that done before each call.
    pub(super) fn sync(&self, catalog: &Catalog) {
        let failed = {
            let _one_at_a_time = locked(&self.copying);
            before_a_call(&self.setup, catalog)
        };
        self.report(&failed);
    }

    /// What a finding is known by: there may be as many as there are skills.
    pub(super) fn fingerprint(&self, finding: &Diagnostic) -> Digest {
        Digest::of(format!("{}: {finding}", findings::place(&self.setup.fs, finding)).as_bytes())
    }

    /// What a script, a tool or a command may take.
    pub(super) fn limits(&self) -> Limits {
        self.with_timeout(Limits::default())
    }

    /// What the agent may take.
    pub(super) fn agent_limits(&self) -> Limits {
        self.with_timeout(Limits::of_agent())
    }

    /// Limits, but for the time where the user has named one.
    pub(super) fn with_timeout(&self, limits: Limits) -> Limits {
        self.ask.timeout.map_or(limits, |seconds| limits.with_time(Duration::from_secs(seconds)))
    }

    /// How long there is between two looks; none where there is only the first.
    pub(super) fn poll_interval(&self) -> Option<Duration> {
        (self.ask.poll != 0).then(|| Duration::from_secs(self.ask.poll))
    }

    /// Changes since the first look, which is what a client was told of when its session began.
    pub(super) fn subscribe_to_changes(&self) -> watch::Receiver<Versions> {
        self.versions.subscribe()
    }

    /// Ends what runs, and lets nothing more begin.
    pub(super) fn close(&self) {
        self.is_closing.send_replace(true);
    }

    /// Waits until the engine is closed.
    pub(super) async fn wait_until_closed(&self) {
        // The sender is ours, so the only error there could be is none.
        let _ = self.is_closing.subscribe().wait_for(|is_closing| *is_closing).await;
    }

    /// Waits until nothing runs.
    pub(super) async fn wait_until_idle(&self) {
        let _ = self.runs.acquire_many(MAX_RUNS).await;
    }

    /// Waits until there is room for an answer, or nobody reads it.
    pub(super) async fn wait_for_output_room(&self) {
        if let Some(output) = self.output.get() {
            output.has_room().await;
        }
    }

    /// An answer, made on a thread of its own.
    pub(super) async fn run_blocking<T: Send + 'static>(
        self: &Arc<Self>,
        make: impl FnOnce(&Engine) -> T + Send + 'static,
    ) -> Result<T, ErrorData> {
        let engine = Arc::clone(self);
        tokio::task::spawn_blocking(move || make(&engine)).await.map_err(|_| failed())
    }

    /// The same for what runs a process. It is told to stop when the client cancels, and when the engine is closed.
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

/// What is told where a thread has failed in a way that it should not; the rest is on standard error.
fn failed() -> ErrorData {
    ErrorData::internal_error("the answer could not be produced", None)
}

/// A failure elsewhere leaves what is locked as it was.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
