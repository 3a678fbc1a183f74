mkdir -p src/bin && cat > src/bin/zz.rs <<'E'
fn main() {
    print!("{:?} {:?} {:?}", shop::in_euros(50, "CHF"), shop::in_euros(995, "SEK"), shop::in_euros(125, "USD"));
}
E
test "$(cargo run -q --bin zz)" = "Some(100) Some(100) Some(100)"
