cat > build.rs <<'P'
//! Generates the table of CRC-32.
use std::{env, fs, path::Path};

const POLYNOMIAL: u32 = 0xedb8_8320;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let table: Vec<u32> = (0..256u32)
        .map(|n| (0..8).fold(n, |c, _| if c & 1 == 1 { POLYNOMIAL ^ (c >> 1) } else { c >> 1 }))
        .collect();
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    fs::write(Path::new(&out).join("table.rs"), format!("const TABLE: [u32; 256] = {table:?};\n")).expect("OUT_DIR can be written");
}
P
cat > src/lib.rs <<'P'
include!(concat!(env!("OUT_DIR"), "/table.rs"));

/// CRC-32 of the bytes.
pub fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |sum, &b| TABLE[((sum ^ u32::from(b)) & 0xff) as usize] ^ (sum >> 8))
}
P
