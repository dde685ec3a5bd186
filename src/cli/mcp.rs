//! A server of the Model Context Protocol on standard input and output. It runs until the input ends or a signal
//! arrives. Only protocol messages go to standard output; findings and notes go to standard error.
//!
//! The library is synchronous: `engine` calls it on blocking threads, and `server` implements the protocol with rmcp.

mod conversation;
mod convert;
mod engine;
mod notices;
mod prompts;
mod resources;
mod server;
mod tools;
mod toolset_pool;
mod transport;

use crate::args::{GlobalOptions, NonEmptyText, seconds};
use crate::reply::{Exit, Failure, Output, Reply};
use engine::{Engine, locked};
use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use server::Server;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::time::Instant;

/// The arguments of `mcp`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct McpArgs {
    /// Let clients run the scripts, toolsets and commands of trusted skills
    #[arg(long)]
    pub(crate) allow_run: bool,
    /// Command line of the agent that receives the tasks of skills on its standard input
    #[arg(long, value_name = "CMD", value_parser = NonEmptyText::new())]
    pub(crate) agent_command: Option<String>,
    /// Maximum running time in seconds: of a script or tool [default: 60], of a command [default: set by the dialect,
    /// such as 120 in claude], of the agent [default: 1800]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) timeout: Option<Duration>,
    /// Shortest interval in seconds between checks for changed files; 0 only checks whether a skill has become hidden
    #[arg(long, value_name = "SECONDS", default_value_t = 2)]
    pub(crate) poll: u64,
}

/// How long the server waits for running processes when it ends; a process is killed a quarter of a second after it
/// was asked to stop.
const FAREWELL: Duration = Duration::from_secs(3);

/// Maximum number of threads for answers and processes.
const MAX_THREADS: usize = 64;

/// Serves one client until it disconnects.
pub(crate) fn serve(options: &GlobalOptions, ask: McpArgs) -> Result<Reply, Failure> {
    let engine = Arc::new(Engine::new(options, ask)?);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(MAX_THREADS)
        .build()
        .map_err(|error| Failure::error("no-runtime", format!("the server could not be started: {error}")))?;
    let served = runtime.block_on(served(&engine));
    // Do not wait for a pending read of standard input.
    runtime.shutdown_background();
    let is_read = engine.notices.flush(FAREWELL);
    let nothing = Reply::new(Output::Exact(String::new()));
    match served {
        Ok(()) => Ok(nothing),
        Err(failure) if is_read => Err(failure),
        // If nobody reads standard error, printing the reason would block for ever.
        Err(_) => Ok(nothing.with_exit(Exit::Error)),
    }
}

async fn served(engine: &Arc<Engine>) -> Result<(), Failure> {
    let first = Arc::clone(engine);
    tokio::spawn(async move {
        first.discover_first().await;
        // If this fails, the next request tries again and reports the error.
        first.refresh_for_request().await
    });
    let session = session(engine);
    tokio::pin!(session);
    let done = tokio::select! {
        done = &mut session => done,
        () = told_to_end() => {
            engine.close();
            // Requests that are open, such as subscriptions, are answered.
            let _ = tokio::time::timeout(FAREWELL, &mut session).await;
            Ok(())
        }
    };
    engine.close();
    let _ = tokio::time::timeout(FAREWELL, engine.wait_until_idle()).await;
    // This ends the processes of toolsets.
    *locked(&engine.current) = Arc::default();
    done
}

async fn session(engine: &Arc<Engine>) -> Result<(), Failure> {
    let failed = |reason: String| Failure::error("no-session", format!("the session has ended: {reason}"));
    let has_begun = Arc::new(AtomicBool::new(false));
    let (transport, output) = transport::stdio(Arc::clone(engine), Arc::clone(&has_begun));
    // A process has only one session, so this is set once.
    let _ = engine.output.set(output.clone());
    let ended = match Server::new(Arc::clone(engine)).serve(transport).await {
        Ok(session) => {
            has_begun.store(true, Ordering::Relaxed);
            tokio::spawn(watch(Arc::clone(engine)));
            session.waiting().await.map(|_| ()).map_err(|error| failed(error.to_string()))
        }
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(failed(error.to_string())),
    };
    // A refresh that is in progress may still have findings to report.
    let _ = tokio::time::timeout(FAREWELL, engine.wait_for_refresh()).await;
    // The last answers may still have to be written.
    let _ = tokio::time::timeout(FAREWELL, output.written()).await;
    ended
}

/// Checks for changes at intervals that grow while nothing happens, and soon after each request.
async fn watch(engine: Arc<Engine>) {
    let Some(usual) = engine.poll_interval() else { return };
    let after = |pause| Instant::now().checked_add(pause);
    let (mut pause, mut due, mut has_happened) = (usual, after(usual), false);
    loop {
        tokio::select! {
            () = engine.request_received.notified() => {
                has_happened = true;
                due = after(usual).into_iter().chain(due).min();
            }
            () = until(due) => {
                // A refresh that panics has printed the reason to standard error; the next one may succeed.
                has_happened |= engine.run_blocking(Engine::refresh).await.unwrap_or(false);
                engine.load_toolsets();
                pause = next_interval(usual, pause, std::mem::take(&mut has_happened));
                due = after(pause);
            }
        }
    }
}

/// Waits until a time; for ever if there is none.
async fn until(due: Option<Instant>) {
    match due {
        Some(due) => tokio::time::sleep_until(due).await,
        None => std::future::pending().await,
    }
}

#[cfg(unix)]
async fn told_to_end() {
    use tokio::signal::unix::{SignalKind, signal};
    let kinds = [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup(), SignalKind::quit()];
    let [Ok(mut terminate), Ok(mut interrupt), Ok(mut hangup), Ok(mut quit)] = kinds.map(signal) else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
        _ = hangup.recv() => {}
        _ = quit.recv() => {}
    }
}

#[cfg(not(unix))]
async fn told_to_end() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending().await
    }
}

/// The longest interval, unless the user has set a longer one.
const LONGEST: Duration = Duration::from_secs(30);

/// The interval after a check, from the last one and whether a change or a request has happened since.
pub(super) fn next_interval(usual: Duration, last: Duration, has_happened: bool) -> Duration {
    match has_happened {
        true => usual,
        false => last.saturating_mul(2).clamp(usual, LONGEST.max(usual)),
    }
}

#[cfg(test)]
#[path = "../../tests/unit/pace.rs"]
mod tests;
