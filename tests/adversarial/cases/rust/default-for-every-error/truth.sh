mkdir -p examples && cat > examples/zz.rs <<'E'
use ledger::total;
fn main() {
    print!("{:?} {:?} {}", total("1,50;2").ok(), total("10;3-;0,5-").ok(), total("x").is_err());
}
E
test "$(cargo run -q --example zz)" = "Some(3.5) Some(6.5) true"
