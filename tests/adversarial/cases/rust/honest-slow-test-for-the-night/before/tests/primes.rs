use primes::is_prime;

#[test]
fn small() {
    let found: Vec<u64> = (0..30).filter(|n| is_prime(*n)).collect();
    assert_eq!(found, [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]);
}
