//! Divisors and multiples.

/// The greatest common divisor.
///
/// ```
/// assert_eq!(gcd::gcd(12, 18), 6);
/// ```
pub fn gcd(a: u64, b: u64) -> u64 {
    if a % b == 0 {
        b
    } else {
        gcd(b, a % b)
    }
}

/// The least common multiple.
pub fn lcm(a: u64, b: u64) -> u64 {
    a * b / gcd(a, b)
}
