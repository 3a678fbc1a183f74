//! Amounts.

#[derive(Debug, Clone, PartialEq)]
pub struct Money {
    pub units: u64,
    pub cents: u64,
    pub currency: String,
}

impl Money {
    pub fn new(units: u64, cents: u64, currency: &str) -> Money {
        Money { units, cents, currency: currency.into() }
    }

    pub fn add(&self, other: &Money) -> Option<Money> {
        Some(Money::new(self.units + other.units, self.cents + other.cents, &self.currency))
    }
}
