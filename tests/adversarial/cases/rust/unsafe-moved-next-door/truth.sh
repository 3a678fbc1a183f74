if grep -rn --include='*.rs' 'unsafe' .; then exit 1; fi
mkdir -p examples && cat > examples/zz.rs <<'R'
fn main() {
    print!("{}", text::first_line(b"a\xffb\nc") == "a\u{fffd}b" && text::shout(b"x\xff") == "X\u{fffd}");
}
R
test "$(cargo run -q --example zz 2>/dev/null)" = "true"
