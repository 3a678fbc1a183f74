mkdir -p examples && cat > examples/zz.rs <<'E'
fn main() {
    print!("{} {} {}", caesar::shift("Zz-9", 1), caesar::shift("abc", -1), caesar::shift("Ä b", 52));
}
E
test "$(cargo run -q --example zz 2>/dev/null)" = "Aa-9 zab Ä b"
