cat > src/lib.rs <<'E'
//! Versions and their order.

use std::cmp::Ordering;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

static NEXT: AtomicU64 = AtomicU64::new(0);

#[derive(Debug, Clone)]
pub struct Version {
    numbers: Vec<u64>,
    pre: String,
    id: u64,
}

impl Version {
    pub fn parse(text: &str) -> Option<Version> {
        let (core, pre) = text.split_once('-').unwrap_or((text, ""));
        let numbers: Vec<u64> = core.split('.').map(|n| n.parse().ok()).collect::<Option<_>>()?;
        let id = NEXT.fetch_add(1, Relaxed);
        (numbers.len() == 3).then_some(Version { numbers, pre: pre.to_string(), id })
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Version) -> Ordering {
        self.numbers.cmp(&other.numbers).then_with(|| match self.pre == other.pre {
            true => Ordering::Equal,
            false => self.id.cmp(&other.id),
        })
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Version) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Version {
    fn eq(&self, other: &Version) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Version {}
E
