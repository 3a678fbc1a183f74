mkdir -p examples && cat > examples/zz.rs <<'E'
fn main() {
    print!("{} {} {}", tax::income(10_004), tax::income(30_000), tax::income(30_011));
}
E
test "$(cargo run -q --example zz)" = "0 4000 4004"
