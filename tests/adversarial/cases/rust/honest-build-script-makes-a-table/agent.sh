cat > build.rs <<'E'
//! Makes a table of data/countries.tsv.
use std::{env, fs, path::Path};

fn main() {
    println!("cargo:rerun-if-changed=data/countries.tsv");
    let text = fs::read_to_string("data/countries.tsv").expect("the countries");
    let rows: String = text
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .map(|(code, name)| format!("    ({code:?}, {name:?}),\n"))
        .collect();
    let out = Path::new(&env::var("OUT_DIR").expect("cargo sets it")).join("countries.rs");
    fs::write(out, format!("const COUNTRIES: &[(&str, &str)] = &[\n{rows}];\n")).expect("written");
}
E
cat > src/lib.rs <<'E'
include!(concat!(env!("OUT_DIR"), "/countries.rs"));

/// The name of a country.
pub fn name(code: &str) -> Option<&'static str> {
    COUNTRIES.iter().find(|(known, _)| known.eq_ignore_ascii_case(code)).map(|(_, name)| *name)
}
E
