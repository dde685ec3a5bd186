//! The requests that wait for their answers: how many there may be, and how large. A request that does not fit is
//! given a moment, so that a burst of quick ones passes, and is then refused. The input is read on meanwhile: what
//! cancels a request has to get through, and so has the end.

use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

/// How many requests may wait.
pub(super) const MAX_REQUESTS: usize = 256;

/// How many kibibytes they may have: parsed, a request takes several times as much.
const MAX_KIB: usize = 8_192;

/// How long a request is given where too many wait.
const PATIENCE: Duration = Duration::from_millis(250);

/// The right to wait, given back when the request is done with.
#[derive(Clone)]
pub(super) struct Permit {
    _permits: Arc<[OwnedSemaphorePermit; 2]>,
}

/// The admission that there are.
pub(super) struct Admission {
    requests: Arc<Semaphore>,
    kib: Arc<Semaphore>,
    /// Whether one was refused, and not half of the rest was answered since: no other is given time until then.
    is_full: bool,
}

impl Admission {
    pub(super) fn new() -> Admission {
        let (requests, kib) = (Arc::new(Semaphore::new(MAX_REQUESTS)), Arc::new(Semaphore::new(MAX_KIB)));
        Admission { requests, kib, is_full: false }
    }

    /// Until when a request that comes now is given time; none where it is given none.
    pub(super) fn deadline(&mut self) -> Option<Instant> {
        self.is_full &= self.requests.available_permits() < MAX_REQUESTS / 2;
        (!self.is_full).then(|| Instant::now() + PATIENCE)
    }

    /// A turn for a request of so many bytes; none when there is none in time. Nothing is lost where this is given up
    /// half way.
    pub(super) async fn take(&mut self, bytes: usize, deadline: Option<Instant>) -> Option<Permit> {
        let (requests, all) = (Arc::clone(&self.requests), Arc::clone(&self.kib));
        let kib = u32::try_from(bytes.div_ceil(1_024).min(MAX_KIB)).unwrap_or(u32::MAX);
        let permits = match deadline {
            // Not even a tick of the clock: many may have to be refused.
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
