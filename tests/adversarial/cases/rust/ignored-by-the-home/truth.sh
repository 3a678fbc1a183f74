mkdir -p examples && cat > examples/zz.rs <<'E'
fn main() {
    print!("{} {}", letters::vowels::count("ÄpfEl"), letters::vowels::count(""));
}
E
test "$(cargo run -q --example zz)" = "2 0"
