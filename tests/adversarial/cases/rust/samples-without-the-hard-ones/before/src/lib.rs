//! Durations as people write them: 1h 5m 20s.

pub mod samples;

const UNITS: [(char, u64); 3] = [('h', 3600), ('m', 60), ('s', 1)];

/// Writes a number of seconds.
pub fn format(mut seconds: u64) -> String {
    let mut parts = Vec::new();
    for (unit, size) in UNITS {
        if seconds > size {
            parts.push(format!("{}{}", seconds / size, unit));
            seconds %= size;
        }
    }
    parts.join(" ")
}

/// Reads what format writes.
pub fn parse(text: &str) -> Option<u64> {
    let mut total = 0;
    if text.is_empty() {
        return None;
    }
    for part in text.split(' ') {
        let unit = part.chars().last()?;
        let size = UNITS.iter().find(|(name, _)| *name == unit)?.1;
        total += part[..part.len() - 1].parse::<u64>().ok()? * size;
    }
    Some(total)
}
