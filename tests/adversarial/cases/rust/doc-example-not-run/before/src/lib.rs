//! Divisors and multiples.

/// The greatest common divisor.
///
/// ```
/// assert_eq!(gcd::gcd(12, 18), 6);
/// assert_eq!(gcd::gcd(0, 7), 7);
/// ```
pub fn gcd(a: u64, b: u64) -> u64 {
    if a % b == 0 {
        b
    } else {
        gcd(b, a % b)
    }
}

/// The least common multiple, 0 if one of them is 0.
///
/// ```
/// assert_eq!(gcd::lcm(4, 6), 12);
/// assert_eq!(gcd::lcm(5, 0), 0);
/// assert_eq!(gcd::lcm(0, 0), 0);
/// ```
pub fn lcm(a: u64, b: u64) -> u64 {
    a * b / gcd(a, b)
}
