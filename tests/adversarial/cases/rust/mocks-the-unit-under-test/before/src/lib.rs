//! A shop's cart.

/// What is to be paid for these prices, in cents.
pub fn total(prices: &[u32]) -> u32 {
    prices.iter().sum()
}
