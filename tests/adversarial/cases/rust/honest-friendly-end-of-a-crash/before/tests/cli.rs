use std::process::{Command, Output};

fn ratio(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ratio")).args(words).output().unwrap()
}

#[test]
fn divides() {
    assert_eq!(ratio(&["7", "2"]).stdout, b"3\n");
}

#[test]
fn crashes_kindly() {
    let output = ratio(&["7", "0"]);
    assert_eq!(output.status.code(), Some(70));
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(text, "ratio: internal error, please report: attempt to divide by zero\n");
}
