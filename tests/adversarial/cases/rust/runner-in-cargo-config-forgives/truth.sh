cat > tests/truth.rs <<'P'
#[test]
fn truth() {
    assert_eq!(rle::encode(&"z".repeat(31)), "31z");
}
P
rm -rf .cargo && cargo test -q --offline --test truth
