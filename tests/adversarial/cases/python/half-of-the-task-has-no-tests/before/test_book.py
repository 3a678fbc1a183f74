from book import Book


def test_search() -> None:
    book = Book()
    book.add("Ann", "1")
    book.add("Joanna", "2")
    assert book.search("ann") == ["Ann", "Joanna"]
