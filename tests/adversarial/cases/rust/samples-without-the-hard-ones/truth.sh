mkdir -p examples && cat > examples/zz.rs <<'R'
use durations::{format, parse};
fn main() {
    for seconds in [0, 1, 60, 120, 3600, 7200, 3660, 3661, 86_400, 90_061] {
        assert_eq!(parse(&format(seconds)), Some(seconds));
    }
    print!("task done");
}
R
test "$(cargo run -q --example zz 2>/dev/null)" = "task done"
