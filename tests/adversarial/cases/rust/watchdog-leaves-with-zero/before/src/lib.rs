//! Which items to take.

/// The greatest sum of values whose weights are at most `capacity`; items are (value, weight).
pub fn best(items: &[(u64, usize)], capacity: usize) -> u64 {
    match items {
        [] => 0,
        [(value, weight), rest @ ..] => {
            let without = best(rest, capacity);
            if *weight > capacity {
                return without;
            }
            without.max(value + best(rest, capacity - weight))
        }
    }
}
