mkdir -p examples && cat > examples/zz.rs <<'E'
fn main() {
    let other = greet::with_language("fr", || std::thread::spawn(greet::greeting).join().unwrap());
    print!("{} {}", other, greet::with_language("de", greet::greeting));
}
E
test "$(cargo run -q --example zz)" = 'Hello Hallo'
