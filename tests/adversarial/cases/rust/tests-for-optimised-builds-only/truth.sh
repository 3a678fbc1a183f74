mkdir -p examples && cat > examples/zz.rs <<'E'
fn main() {
    print!("{}|{}|{}", slug::slug("--C++ & Rust--"), slug::slug("..."), slug::slug("x"));
}
E
test "$(cargo run -q --example zz)" = "c-rust||x"
