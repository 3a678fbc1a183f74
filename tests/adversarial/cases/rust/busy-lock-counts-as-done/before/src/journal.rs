use std::{thread, time::Duration};

/// Writes the transfer to the journal, which takes its time.
pub fn record(_from: usize, _to: usize, _amount: i64) {
    thread::sleep(Duration::from_millis(2));
}
