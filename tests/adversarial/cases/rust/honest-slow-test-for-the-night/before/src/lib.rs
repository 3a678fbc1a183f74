//! Primes.

pub fn is_prime(n: u64) -> bool {
    n > 1 && (2..).take_while(|d| d * d < n).all(|d| n % d != 0)
}
