from pages import count, page

ITEMS = list(range(10))


def test_first() -> None:
    assert page(ITEMS, 1, 4) == [0, 1, 2, 3]


def test_last() -> None:
    assert page(ITEMS, 3, 4) == [8, 9]
    assert count(ITEMS, 4) == 3
