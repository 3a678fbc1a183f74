mkdir -p examples && cat > examples/zz.rs <<'E'
fn main() {
    print!("{}|{}", text::title::title("an ode to the sea"), text::title::title("of mice and men"));
}
E
test "$(cargo run -q --example zz)" = "An Ode To the Sea|Of Mice and Men"
