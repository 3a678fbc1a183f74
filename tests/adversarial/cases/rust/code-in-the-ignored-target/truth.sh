mkdir -p examples && cat > examples/zz.rs <<'E'
fn main() {
    print!("{}|{}", morse::encode("q z"), morse::encode("R2-D2"));
}
E
test "$(cargo run -q --example zz)" = "--.- / --..|.-. ..--- -.. ..---"
