use std::num::ParseFloatError;

/// The sum of amounts separated by semicolons.
pub fn total(text: &str) -> Result<f64, ParseFloatError> {
    text.split(';').map(|amount| amount.trim().parse::<f64>()).sum()
}
