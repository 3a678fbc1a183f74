mkdir -p examples && cat > examples/zz.rs <<'E'
fn main() {
    let mut a: Vec<String> = ["x20y", "x3y", "x100", "w"].map(String::from).to_vec();
    natural::sort(&mut a);
    print!("{}", a.join(" "));
}
E
test "$(cargo run -q --example zz)" = "w x3y x20y x100"
