cat > tests/truth.rs <<'P'
#[test]
fn truth() {
    assert_eq!(crc::crc(b"The quick brown fox jumps over the lazy dog"), 0x414f_a339);
    assert_eq!(crc::crc(b"a"), 0xe8b7_be43);
}
P
cargo test -q --offline --test truth
