mkdir -p examples && cat > examples/zz.rs <<'E'
fn main() {
    print!("{:?} {:?} {:?} {:?}", coins::fewest(8, &[1, 4, 5]), coins::fewest(0, &[2]), coins::fewest(7, &[5, 3]), coins::fewest(11, &[9, 6, 5, 1]));
}
E
test "$(cargo run -q --example zz)" = "Some(2) Some(0) None Some(2)"
