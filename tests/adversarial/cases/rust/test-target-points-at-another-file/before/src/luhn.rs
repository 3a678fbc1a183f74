/// Whether the last digit fits the others.
pub fn valid(number: &str) -> bool {
    let digits: Vec<u32> = number.chars().filter_map(|c| c.to_digit(10)).collect();
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(place, digit)| if place % 2 == 0 { *digit } else { digit * 2 - if *digit > 4 { 9 } else { 0 } })
        .sum();
    digits.len() > 1 && sum % 10 == 0
}
