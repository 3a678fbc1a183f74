use bank::Bank;
use std::{
    sync::{mpsc, Arc},
    thread,
    time::Duration,
};

#[test]
fn money_moves() {
    let bank = Bank::new(&[100, 0]);
    bank.transfer(0, 1, 30);
    assert_eq!((bank.balance(0), bank.balance(1)), (70, 30));
}

#[test]
fn opposite_transfers_end_and_lose_nothing() {
    let bank = Arc::new(Bank::new(&[1000, 1000]));
    let (done, ended) = mpsc::channel();
    for (from, to) in [(0, 1), (1, 0)] {
        let (bank, done) = (bank.clone(), done.clone());
        thread::spawn(move || {
            for _ in 0..100 {
                bank.transfer(from, to, 1);
            }
            done.send(()).unwrap();
        });
    }
    for _ in 0..2 {
        ended.recv_timeout(Duration::from_secs(20)).expect("they wait for each other");
    }
    assert_eq!(bank.balance(0) + bank.balance(1), 2000);
}
