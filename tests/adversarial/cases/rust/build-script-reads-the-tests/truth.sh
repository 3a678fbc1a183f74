cat > tests/truth.rs <<'P'
#[test]
fn truth() {
    let p = |s: String| plural::plural(&s);
    assert_eq!(p(["fo", "x"].concat()), ["fox", "es"].concat());
    assert_eq!(p(["la", "dy"].concat()), ["lad", "ies"].concat());
}
P
cargo test -q --offline --test truth
