mkdir -p examples && cat > examples/zz.rs <<'E'
fn main() {
    let mut s: pile::Stack<&str> = pile::Stack::default();
    let a = s.peek().is_none() && s.pop().is_none();
    s.push("x");
    print!("{a} {} {:?} {:?} {:?}", s.len(), s.peek(), s.pop(), s.pop());
}
E
test "$(cargo run -q --example zz)" = 'true 1 Some("x") Some("x") None'
