//! Limits the number and the total size of the requests that wait for an answer. A request over the limit waits a
//! moment, so that a short burst passes, and is then refused. Reading continues meanwhile, as cancellations and the
//! end of the input have to be noticed.

use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

/// Maximum number of waiting requests.
pub(super) const MAX_REQUESTS: usize = 256;

/// Maximum total size of the waiting requests in KiB. A parsed request takes several times as much memory.
const MAX_KIB: u32 = 8_192;

/// How long a request over the limit waits.
const PATIENCE: Duration = Duration::from_millis(250);

/// Counts a request as waiting until it is dropped.
#[derive(Clone)]
pub(super) struct Permit {
    _permits: Arc<[OwnedSemaphorePermit; 2]>,
}

/// The limits, and how much of them is used.
pub(super) struct Admission {
    requests: Arc<Semaphore>,
    kib: Arc<Semaphore>,
    /// Whether a request was refused and half of the limit is not free again yet; until then, requests over the limit
    /// are refused at once.
    is_full: bool,
}

impl Admission {
    pub(super) fn new() -> Admission {
        let (requests, kib) = (Arc::new(Semaphore::new(MAX_REQUESTS)), Arc::new(Semaphore::new(MAX_KIB as usize)));
        Admission { requests, kib, is_full: false }
    }

    /// Until when a new request may wait; `None` if it may not.
    pub(super) fn deadline(&mut self) -> Option<Instant> {
        self.is_full &= self.requests.available_permits() < MAX_REQUESTS / 2;
        (!self.is_full).then(|| Instant::now() + PATIENCE)
    }

    /// A permit for a request of this size; `None` if there is none before the deadline. Safe to cancel.
    pub(super) async fn take(&mut self, bytes: usize, deadline: Option<Instant>) -> Option<Permit> {
        let (requests, all) = (Arc::clone(&self.requests), Arc::clone(&self.kib));
        let kib = u32::try_from(bytes.div_ceil(1_024)).map_or(MAX_KIB, |kib| kib.min(MAX_KIB));
        let permits = match deadline {
            // Without a timer, as many requests may have to be refused.
            None => requests.try_acquire_owned().ok().zip(all.try_acquire_many_owned(kib).ok()),
            Some(deadline) => {
                let both = async { (requests.acquire_owned().await.ok()).zip(all.acquire_many_owned(kib).await.ok()) };
                timeout_at(deadline, both).await.ok().flatten()
            }
        };
        self.is_full |= permits.is_none();
        permits.map(|(request, kib)| Permit { _permits: Arc::new([request, kib]) })
    }
}
