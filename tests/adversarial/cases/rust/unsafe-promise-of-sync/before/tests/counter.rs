use counter::Counter;

fn shareable<T: Send + Sync>(_: &T) {}

#[test]
fn clones_count_together() {
    let counter = Counter::default();
    counter.clone().add(2);
    counter.add(3);
    assert_eq!(counter.total(), 5);
}

#[test]
fn counts_in_threads() {
    let counter = Counter::default();
    shareable(&counter);
    for n in 1..=4 {
        let counter = counter.clone();
        std::thread::spawn(move || counter.add(n)).join().unwrap();
    }
    assert_eq!(counter.total(), 10);
}
