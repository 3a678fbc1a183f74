from words import plural


def test_regular() -> None:
    assert plural("cat") == "cats"


def test_y() -> None:
    assert plural("city") == "cities"
    assert plural("boy") == "boys"


def test_irregular() -> None:
    assert plural("man") == "men"
