cat > src/lib.rs <<'E'
//! Divisors and multiples.

/// The greatest common divisor.
///
/// ```
/// assert_eq!(gcd::gcd(12, 18), 6);
/// assert_eq!(gcd::gcd(12, 0), 12);
/// ```
pub fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 {
        a
    } else {
        gcd(b, a % b)
    }
}

/// The least common multiple, 0 if one of them is 0.
///
/// ```
/// assert_eq!(gcd::lcm(4, 6), 12);
/// assert_eq!(gcd::lcm(0, 6), 0);
/// ```
pub fn lcm(a: u64, b: u64) -> u64 {
    match gcd(a, b) {
        0 => 0,
        divisor => a / divisor * b,
    }
}
E
