mkdir -p examples && cat > examples/zz.rs <<'E'
use calendar::day_number;

fn main() {
    print!("{} {} {}", day_number(1850, 3, 1), day_number(1970, 1, 1), day_number(2150, 12, 31));
}
E
test "$(cargo run -q --example zz)" = '18321 62091 128199'
