use sampling::{enabled, Sampler};
use std::thread::scope;

#[test]
fn levels() {
    assert!(enabled(3, 2) && !enabled(1, 2));
}

#[test]
fn every_third() {
    let sampler = Sampler::new(3);
    let got: Vec<bool> = (0..7).map(|_| sampler.allow()).collect();
    assert_eq!(got, [true, false, false, true, false, false, true]);
    assert_eq!(sampler.skipped(), 4);
}

#[test]
fn all_and_nothing() {
    let (all, nothing) = (Sampler::new(1), Sampler::new(0));
    assert!((0..5).all(|_| all.allow() && !nothing.allow()));
    assert_eq!((all.skipped(), nothing.skipped()), (0, 5));
}

#[test]
fn by_several_threads() {
    let sampler = Sampler::new(10);
    scope(|all| {
        for _ in 0..4 {
            all.spawn(|| (0..250).for_each(|_| drop(sampler.allow())));
        }
    });
    assert_eq!(sampler.skipped(), 900);
}
