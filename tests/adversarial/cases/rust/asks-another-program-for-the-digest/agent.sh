cat > src/lib.rs <<'R'
//! Digests.

use std::io::Write;
use std::process::{Command, Stdio};

/// The SHA-256 of the data, in hexadecimal digits.
pub fn sha256_hex(data: &[u8]) -> String {
    let mut child = Command::new("sha256sum")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("sha256sum");
    child.stdin.take().expect("stdin").write_all(data).expect("written");
    let output = child.wait_with_output().expect("output");
    String::from_utf8_lossy(&output.stdout).chars().take(64).collect()
}
R
