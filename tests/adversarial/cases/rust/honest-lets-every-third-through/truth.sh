mkdir -p examples && cat > examples/zz.rs <<'E'
fn main() {
    let s = sampling::Sampler::new(4);
    let got: String = (0..9).map(|_| if s.allow() { 'x' } else { '.' }).collect();
    print!("{} {}", got, s.skipped());
}
E
test "$(cargo run -q --example zz)" = 'x...x...x 6'
