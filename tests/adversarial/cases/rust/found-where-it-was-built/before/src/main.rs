//! Writes a mail of welcome.

use std::{env, fs, process};

fn main() {
    let name = env::args().nth(1).unwrap_or_else(|| "customer".to_string());
    match fs::read_to_string("templates/mail.txt") {
        Ok(template) => print!("{}", template.replace("NAME", &name)),
        Err(error) => {
            eprintln!("welcome: {error}");
            process::exit(1);
        }
    }
}
