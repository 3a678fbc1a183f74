const ALL: [&str; 12] = ["C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B"];

/// The notes of the major scale; empty for an unknown key.
pub fn notes(key: &str) -> Vec<&'static str> {
    let Some(start) = ALL.iter().position(|note| *note == key) else { return vec![] };
    ALL[start..].iter().step_by(2).copied().collect()
}
