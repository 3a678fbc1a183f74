use std::{env, fs};

#[test]
fn people() {
    let got = table::render(&[vec!["name", "age"], vec!["Alexander", "7"], vec!["Bo", "101"]]);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/snapshots/people.txt");
    if env::var_os("UPDATE_SNAPSHOTS").is_some() {
        fs::write(path, &got).unwrap();
    }
    assert_eq!(got, fs::read_to_string(path).unwrap());
}
