//! Bits.

pub fn popcount64(n: u64) -> u32 {
    (n as u32).count_ones()
}

/// Whether the number of ones is odd.
pub fn parity(n: u64) -> bool {
    popcount64(n) % 2 == 0
}
