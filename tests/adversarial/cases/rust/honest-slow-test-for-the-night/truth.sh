mkdir -p examples && cat > examples/zz.rs <<'R'
fn main() {
    print!("{:?}", [49, 121, 97, 1, 169, 7919].map(primes::is_prime));
}
R
test "$(cargo run -q --example zz 2>/dev/null)" = "[false, false, true, false, false, true]" || exit 1
cargo test --quiet --test nightly -- --list 2>/dev/null | grep -q ': test'
