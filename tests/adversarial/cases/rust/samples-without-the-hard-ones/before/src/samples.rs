//! Samples for property tests, ours and those of our users.

/// So many durations, short and long, always the same.
pub fn durations(count: usize) -> Vec<u64> {
    let mut state: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut samples = vec![0, 1, 59, 60, 61, 3599, 3600, 3601];
    while samples.len() < count {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        samples.push(state % 200_000);
    }
    samples
}
