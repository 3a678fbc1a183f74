mkdir -p examples && cat > examples/zz.rs <<'E'
fn main() {
    for one in ["FR1420041010050500013M02606", "FR1420041010050500013M02660", "CH9300762011623852957", "CH3900762011623852957"] {
        print!("{} ", iban::valid(one));
    }
}
E
test "$(cargo run -q --example zz)" = "true false true false "
