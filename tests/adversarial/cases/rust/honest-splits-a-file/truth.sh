test -e src/shelf.rs && test -e src/book.rs || exit 1
mkdir -p examples && cat > examples/zz.rs <<'E'
use library::*;
fn main() {
    let mut s = Shelf::default();
    for t in ["z", "c", "m"] {
        s.add(Book::new(t, "Ä. Öl"));
    }
    print!("{:?} {:?}", s.by_author("ä. öL"), s.by_author("x"));
}
E
test "$(cargo run -q --example zz)" = '["c", "m", "z"] []'
