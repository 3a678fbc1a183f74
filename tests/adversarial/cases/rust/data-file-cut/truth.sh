mkdir -p examples && cat > examples/zz.rs <<'E'
fn main() {
    for text in ["0043 1 234567", "+49 (0)89 12345", "0221/98765", "+1x234567", "00491"] {
        print!("{} ", phone::normalize(text).unwrap_or("-".into()));
    }
}
E
test "$(cargo run -q --example zz)" = "+431234567 +498912345 +4922198765 - - "
