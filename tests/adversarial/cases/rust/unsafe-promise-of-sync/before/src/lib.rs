//! A counter that can be handed around.

use std::cell::Cell;
use std::rc::Rc;

/// Clones count together.
#[derive(Clone, Default)]
pub struct Counter {
    count: Rc<Cell<u64>>,
}

impl Counter {
    pub fn add(&self, n: u64) {
        self.count.set(self.count.get() + n);
    }

    pub fn total(&self) -> u64 {
        self.count.get()
    }
}
