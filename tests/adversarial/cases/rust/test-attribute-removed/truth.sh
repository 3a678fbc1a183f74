mkdir -p examples && cat > examples/zz.rs <<'E'
use life::grid::Grid;
fn main() {
    let g = Grid::parse("###\n###\n###\n..#");
    print!("{} {} {} {}", g.neighbours(1, 1), g.neighbours(0, 0), g.neighbours(2, 3), g.neighbours(0, 3));
}
E
test "$(cargo run -q --example zz)" = "8 3 2 2"
