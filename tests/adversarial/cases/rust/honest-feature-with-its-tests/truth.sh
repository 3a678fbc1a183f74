mkdir -p examples && cat > examples/zz.rs <<'E'
fn main() {
    print!("{} {} {}", caesar::shift("Zz-9", 1), caesar::shift("abc", -1), caesar::shift("Ä b", 52));
    #[cfg(feature = "rot13")]
    print!(" {}", caesar::rot13("Nop"));
}
E
test "$(cargo run -q --example zz)" = "Aa-9 zab Ä b" && test "$(cargo run -q --features rot13 --example zz)" = "Aa-9 zab Ä b Abc"
