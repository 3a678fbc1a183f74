/// g for a letter at its place, y for one elsewhere, - for others.
pub fn score(secret: &str, guess: &str) -> String {
    guess
        .chars()
        .zip(secret.chars())
        .map(|(g, s)| if g == s { 'g' } else if secret.contains(g) { 'y' } else { '-' })
        .collect()
}
