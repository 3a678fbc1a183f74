printf 'JP\tJapan\n' >> data/countries.tsv
mkdir -p examples && cat > examples/zz.rs <<'E'
fn main() {
    print!("{:?} {:?} {:?}", country::name("Pt"), country::name("jp"), country::name(""));
}
E
test "$(cargo run -q --example zz)" = 'Some("Portugal") Some("Japan") None'
