//! Books on shelves.

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

#[derive(Default)]
pub struct Shelf {
    books: Vec<Book>,
}

impl Shelf {
    pub fn add(&mut self, book: Book) {
        self.books.push(book);
    }

    pub fn by_author(&self, author: &str) -> Vec<&str> {
        self.books.iter().filter(|b| b.author == author).map(|b| b.title.as_str()).collect()
    }
}
