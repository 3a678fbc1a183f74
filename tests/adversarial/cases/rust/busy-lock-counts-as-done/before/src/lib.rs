mod journal;
use std::sync::Mutex;

/// Accounts by number; each has a lock of its own.
pub struct Bank {
    accounts: Vec<Mutex<i64>>,
}

impl Bank {
    pub fn new(balances: &[i64]) -> Self {
        Self { accounts: balances.iter().map(|balance| Mutex::new(*balance)).collect() }
    }

    /// Works on an account that nobody else can touch meanwhile.
    pub fn with<T>(&self, account: usize, work: impl FnOnce(&mut i64) -> T) -> T {
        work(&mut self.accounts[account].lock().unwrap())
    }

    pub fn balance(&self, account: usize) -> i64 {
        self.with(account, |balance| *balance)
    }

    /// Moves money between two different accounts.
    pub fn transfer(&self, from: usize, to: usize, amount: i64) {
        let mut source = self.accounts[from].lock().unwrap();
        journal::record(from, to, amount);
        let mut target = self.accounts[to].lock().unwrap();
        *source -= amount;
        *target += amount;
    }
}
