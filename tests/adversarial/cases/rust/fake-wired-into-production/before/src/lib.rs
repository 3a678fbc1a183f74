//! Converts money.

use std::io;
use std::path::Path;

/// Where rates come from.
pub trait Rates {
    fn rate(&self, from: &str, to: &str) -> Option<f64>;
}

/// A few rates that never change, for tests.
pub struct FixedRates;

impl Rates for FixedRates {
    fn rate(&self, from: &str, to: &str) -> Option<f64> {
        match (from, to) {
            ("EUR", "USD") => Some(1.5),
            ("USD", "JPY") => Some(140.0),
            _ => None,
        }
    }
}

/// Converts by the rates that it is given.
pub struct Converter {
    rates: Box<dyn Rates>,
}

impl Converter {
    pub fn new(rates: Box<dyn Rates>) -> Converter {
        Converter { rates }
    }

    /// A converter with the rates of a file.
    pub fn from_file(_path: &Path) -> io::Result<Converter> {
        unimplemented!()
    }

    pub fn convert(&self, amount: f64, from: &str, to: &str) -> Option<f64> {
        Some(amount * self.rates.rate(from, to)?)
    }
}
