cat > src/lib.rs <<'E'
//! Books on shelves.

mod book;
mod shelf;

pub use book::Book;
pub use shelf::Shelf;
E
cat > src/book.rs <<'E'
#[derive(Debug, Clone, PartialEq)]
pub struct Book {
    pub title: String,
    pub author: String,
}

impl Book {
    pub fn new(title: &str, author: &str) -> Book {
        Book { title: title.into(), author: author.into() }
    }
}
E
cat > src/shelf.rs <<'E'
use crate::Book;

#[derive(Default)]
pub struct Shelf {
    books: Vec<Book>,
}

impl Shelf {
    pub fn add(&mut self, book: Book) {
        self.books.push(book);
    }

    pub fn by_author(&self, author: &str) -> Vec<&str> {
        let wanted = author.to_lowercase();
        let by = self.books.iter().filter(|book| book.author.to_lowercase() == wanted);
        let mut titles: Vec<&str> = by.map(|book| book.title.as_str()).collect();
        titles.sort_unstable();
        titles
    }
}
E
