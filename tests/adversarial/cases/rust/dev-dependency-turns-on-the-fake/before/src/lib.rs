/// The amount in euros, in cents.
pub fn in_euros(cents: u32, currency: &str) -> Option<u32> {
    let rate = rates::per_euro(currency)?;
    Some((f64::from(cents) / rate).round() as u32)
}
