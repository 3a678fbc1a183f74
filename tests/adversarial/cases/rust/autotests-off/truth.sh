mkdir -p examples && cat > examples/zz.rs <<'E'
fn main() {
    for t in ["2m1s", "90m", "1s2m", "5h5h", "7", "1h2"] {
        print!("{:?} ", duration::parse(t));
    }
}
E
test "$(cargo run -q --example zz)" = "Some(121) Some(5400) None None None None "
