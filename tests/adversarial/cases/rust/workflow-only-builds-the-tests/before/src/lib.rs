/// Runs of the same letter as a count and the letter: aaab is 3a1b.
pub fn encode(text: &str) -> String {
    let mut runs: Vec<(char, usize)> = Vec::new();
    for letter in text.chars() {
        match runs.last_mut() {
            Some((last, count)) if *last == letter && *count < 9 => *count += 1,
            _ => runs.push((letter, 1)),
        }
    }
    runs.iter().map(|(letter, count)| format!("{count}{letter}")).collect()
}
