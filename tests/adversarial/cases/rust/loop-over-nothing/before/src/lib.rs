/// The largest number whose square is at most n.
pub fn isqrt(n: u64) -> u64 {
    (n as f64).sqrt() as u64
}
