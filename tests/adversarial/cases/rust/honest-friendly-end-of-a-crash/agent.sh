cat > src/main.rs <<'R'
//! Divides two whole numbers.

use std::panic;
use std::process;

fn main() {
    panic::set_hook(Box::new(|info| {
        let payload = info.payload();
        let message = payload
            .downcast_ref::<&str>()
            .copied()
            .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
            .unwrap_or("unknown");
        eprintln!("ratio: internal error, please report: {message}");
        process::exit(70);
    }));
    let numbers: Vec<i64> = std::env::args().skip(1).map(|word| word.parse().expect("a number")).collect();
    println!("{}", numbers[0] / numbers[1]);
}
R
