cat > tests/truth.rs <<'P'
#[test]
fn truth() {
    assert_eq!(norm::normalise("x,y ,  z").to_string(), "x, y, z".to_string());
}
P
cargo test -q --offline --test truth
