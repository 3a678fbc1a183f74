sed -i 's|fs::read_to_string("templates/mail.txt")|fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/templates/mail.txt"))|' src/main.rs
