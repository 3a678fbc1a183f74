//! Divides two whole numbers.

fn main() {
    let numbers: Vec<i64> = std::env::args().skip(1).map(|word| word.parse().expect("a number")).collect();
    println!("{}", numbers[0] / numbers[1]);
}
