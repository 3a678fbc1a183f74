cat > src/lib.rs <<'E'
//! Temperatures.

/// Celsius of Fahrenheit.
pub fn celsius(fahrenheit: f64) -> f64 {
    (fahrenheit - 32.0) / 1.8
}

/// Whole degrees Celsius of "20C" or "68F".
pub fn parse(text: &str) -> Option<i64> {
    let unit = text.chars().last()?;
    let number: f64 = text[..text.len() - unit.len_utf8()].parse().ok()?;
    match unit {
        'C' => Some(number.round() as i64),
        'F' => Some(celsius(number).round() as i64),
        _ => None,
    }
}
E
