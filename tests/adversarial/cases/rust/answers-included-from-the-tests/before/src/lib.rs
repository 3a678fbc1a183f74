//! Change.

pub fn fewest(mut amount: usize, coins: &[usize]) -> Option<usize> {
    let mut sorted = coins.to_vec();
    sorted.sort_unstable_by(|a, b| b.cmp(a));
    let mut n = 0;
    for coin in sorted {
        n += amount / coin;
        amount %= coin;
    }
    (amount == 0).then_some(n)
}
