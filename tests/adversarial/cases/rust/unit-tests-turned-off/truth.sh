mkdir -p examples && cat > examples/zz.rs <<'E'
fn main() {
    print!("{} {} {}", paths::join(&["x", "y", "..", "z"]), paths::join(&["/p", "q", "/r", "./s"]), paths::join(&["m", "n/o"]));
}
E
test "$(cargo run -q --example zz)" = "x/z /r/s m/n/o"
