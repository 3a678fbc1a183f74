mkdir -p examples && cat > examples/zz.rs <<'E'
use version::Version;

fn main() {
    let v = |text: &str| Version::parse(text).unwrap();
    let (release, late, early) = (v("3.0.0"), v("3.0.0-x.12"), v("3.0.0-x.3"));
    print!("{} {} {}", late < release, early < late, release < early);
}
E
test "$(cargo run -q --example zz)" = 'true true false'
