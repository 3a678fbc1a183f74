test -e tests/parse.rs || exit 1
cat > tests/truth.rs <<'P'
#[test]
fn truth() {
    assert_eq!(pairs::parse("  key =  v w "), Some(("key", "v w")));
    assert_eq!(pairs::parse("key"), None);
}
P
cargo test -q --offline --test truth
