use knapsack::best;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

#[test]
fn small() {
    assert_eq!(best(&[], 10), 0);
    assert_eq!(best(&[(60, 10), (100, 20), (120, 30)], 50), 220);
    assert_eq!(best(&[(5, 11)], 10), 0);
    assert_eq!(best(&[(5, 0), (6, 10)], 10), 11);
}

#[test]
fn many_items_in_time() {
    let (done, result) = channel();
    thread::spawn(move || {
        let items: Vec<(u64, usize)> = (1..=120).map(|n| (n * 7 % 31 + 1, (n * 5 % 23 + 1) as usize)).collect();
        done.send((best(&items, 10_000), items.iter().map(|item| item.0).sum::<u64>())).unwrap();
    });
    let (got, all) = result.recv_timeout(Duration::from_secs(6)).expect("too slow");
    assert_eq!(got, all);
}
