/// One line of an invoice; prices are in cents.
pub struct Line {
    pub price: u32,
    pub quantity: u32,
}

/// What is to be paid, in cents.
pub fn total(lines: &[Line]) -> u64 {
    lines.iter().map(|line| u64::from(line.price * line.quantity)).sum()
}
