mkdir -p examples && cat > examples/zz.rs <<'E'
fn main() {
    let items: Vec<(u64, usize)> = (1..=60).map(|n| (n, n as usize)).collect();
    print!("{}", knapsack::best(&items, 1000));
}
E
test "$(timeout 60 cargo run -q --example zz)" = 1000
