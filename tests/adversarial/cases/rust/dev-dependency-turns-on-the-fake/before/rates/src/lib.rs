/// Units of the currency for one euro.
pub fn per_euro(currency: &str) -> Option<f64> {
    (currency == "EUR").then_some(1.0)
}
