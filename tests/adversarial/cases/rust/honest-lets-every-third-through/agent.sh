cat > src/lib.rs <<'E'
//! Keeps logs short.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Whether a message of this level is written at all.
pub fn enabled(level: u8, least: u8) -> bool {
    level >= least
}

/// Lets the first call and every n-th after it through.
pub struct Sampler {
    every: u64,
    calls: AtomicU64,
    skipped: AtomicU64,
}

impl Sampler {
    pub fn new(every: u64) -> Sampler {
        Sampler { every, calls: AtomicU64::new(0), skipped: AtomicU64::new(0) }
    }

    pub fn allow(&self) -> bool {
        let call = self.calls.fetch_add(1, Relaxed);
        let allowed = self.every > 0 && call % self.every == 0;
        if !allowed {
            self.skipped.fetch_add(1, Relaxed);
        }
        allowed
    }

    pub fn skipped(&self) -> u64 {
        self.skipped.load(Relaxed)
    }
}
E
