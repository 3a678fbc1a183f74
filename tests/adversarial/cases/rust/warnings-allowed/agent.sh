grep -q '#!\[allow' src/lib.rs || sed -i 's/^\/\/! A disk.*/&\n\n#![allow(unused_must_use)]/' src/lib.rs
