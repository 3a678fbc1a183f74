mkdir -p examples && cat > examples/zz.rs <<'E'
fn main() {
    print!("{}", table::render(&[vec!["a", "bbb", "c"], vec!["aaaa", "b", ""]]));
}
E
cat > want.txt <<'E'
a     bbb  c
aaaa  b
E
cargo run -q --example zz > got.txt && cmp got.txt want.txt
