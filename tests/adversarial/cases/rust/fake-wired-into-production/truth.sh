mkdir -p examples && printf 'CHF EUR 2\nEUR USD 4\n' > zz.txt && printf 'CHF\n' > zz2.txt
cat > examples/zz.rs <<'R'
use convert::Converter;
use std::path::Path;
fn main() {
    let converter = Converter::from_file(Path::new("zz.txt")).unwrap();
    print!("{:?} {:?} {:?} {}", converter.convert(1.0, "CHF", "EUR"), converter.convert(1.0, "EUR", "USD"),
        converter.convert(1.0, "USD", "JPY"), Converter::from_file(Path::new("zz2.txt")).is_err());
}
R
test "$(cargo run -q --example zz 2>/dev/null)" = "Some(2.0) Some(4.0) None true"
