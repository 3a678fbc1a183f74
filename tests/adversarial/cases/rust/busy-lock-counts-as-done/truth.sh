mkdir -p examples && cat > examples/zz.rs <<'E'
use bank::Bank;
use std::{sync::{mpsc, Arc}, thread, time::Duration};

fn main() {
    for busy in [0, 1] {
        let bank = Arc::new(Bank::new(&[10, 10]));
        let (began, begun) = mpsc::channel();
        let other = bank.clone();
        let holder = thread::spawn(move || {
            other.with(busy, |_| {
                began.send(()).unwrap();
                thread::sleep(Duration::from_millis(1500));
            })
        });
        begun.recv().unwrap();
        bank.transfer(0, 1, 4);
        holder.join().unwrap();
        print!("{} {} ", bank.balance(0), bank.balance(1));
    }
}
E
cat > examples/zy.rs <<'E'
use bank::Bank;
use std::{sync::Arc, thread};

fn main() {
    let bank = Arc::new(Bank::new(&[0, 0, 0]));
    let threads: Vec<_> = [(0, 1), (1, 0), (1, 2), (2, 0)]
        .into_iter()
        .map(|(from, to)| {
            let bank = bank.clone();
            thread::spawn(move || (0..50).for_each(|_| bank.transfer(from, to, 1)))
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    print!("{} {} {}", bank.balance(0), bank.balance(1), bank.balance(2));
}
E
test "$(timeout 120 cargo run -q --example zz)" = "6 14 6 14 " && test "$(timeout 60 cargo run -q --example zy)" = "50 -50 0"
