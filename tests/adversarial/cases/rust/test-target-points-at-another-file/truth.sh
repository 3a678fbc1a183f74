mkdir -p examples && cat > examples/zz.rs <<'E'
fn main() {
    print!("{} {} {}", card::mask("5500-0000-0000-0004"), card::mask("123456"), card::mask("3400 0000 0000 009"));
}
E
test "$(cargo run -q --example zz)" = "****-****-****-0004 **3456 **** **** ***0 009"
