mkdir -p examples && cat > examples/zz.rs <<'E'
fn main() {
    for n in [7, 20, 88, 300, 412] {
        print!("{},", spell::spell(n));
    }
}
E
test "$(cargo run -q --example zz)" = "seven,twenty,eighty-eight,three hundred,four hundred and twelve,"
