mkdir -p examples && cat > examples/zz.rs <<'E'
use bowling::score;
fn main() {
    let mut a = vec![0; 18];
    a.extend([7, 3, 8]);
    let mut b = vec![10, 7, 3];
    b.resize(19, 1);
    print!("{} {} {}", score(&a), score(&b), score(&[5; 21]));
}
E
test "$(cargo run -q --example zz)" = "18 47 150"
