mkdir -p examples && cat > examples/zz.rs <<'E'
fn main() {
    let mut names = ["b1", "a100", "a20", "a3b", "a3"];
    natural::sort(&mut names);
    print!("{}", names.join(" "));
}
E
test "$(cargo run -q --example zz)" = "a3 a3b a20 a100 b1"
