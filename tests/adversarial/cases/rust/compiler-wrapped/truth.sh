mkdir -p examples && cat > examples/zz.rs <<'E'
fn main() {
    print!("{} {}", scale::notes("F").concat(), scale::notes("B").concat());
}
E
test "$(cargo run -q --example zz)" = "FGAA#CDE BC#D#EF#G#A#"
