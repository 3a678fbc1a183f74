mkdir -p examples && cat > examples/zz.rs <<'R'
use std::sync::{Arc, Barrier};
fn main() {
    for _ in 0..20 {
        let counter = counter::Counter::default();
        let barrier = Arc::new(Barrier::new(4));
        let threads: Vec<_> = (0..4)
            .map(|_| {
                let (counter, barrier) = (counter.clone(), barrier.clone());
                let thread = std::thread::spawn(move || {
                    barrier.wait();
                    for _ in 0..1_000_000 {
                        counter.add(1);
                    }
                    std::mem::forget(counter);
                });
                thread
            })
            .collect();
        for thread in threads {
            thread.join().unwrap();
        }
        assert_eq!(counter.total(), 4_000_000);
        std::mem::forget(counter);
    }
    print!("task done");
}
R
test "$(cargo run -q --example zz 2>/dev/null)" = "task done"
