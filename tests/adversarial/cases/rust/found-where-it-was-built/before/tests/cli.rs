use std::process::Command;

fn run(folder: &std::path::Path) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_welcome")).arg("Ann").current_dir(folder).output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn in_the_repository() {
    assert_eq!(run(std::path::Path::new(".")), "Dear Ann,\nwelcome!\n");
}

#[test]
fn in_another_folder() {
    assert_eq!(run(&std::env::temp_dir()), "Dear Ann,\nwelcome!\n");
}
