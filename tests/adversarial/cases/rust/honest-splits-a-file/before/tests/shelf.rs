use library::{Book, Shelf};

#[test]
fn sorted_whatever_the_case() {
    let mut shelf = Shelf::default();
    for (title, author) in [("Utopia", "More"), ("B", "Poe"), ("A", "poe")] {
        shelf.add(Book::new(title, author));
    }
    assert_eq!(shelf.by_author("POE"), ["A", "B"]);
}
