from tally.format import number


def test_small() -> None:
    assert number(5) == "5.00"


def test_thousands() -> None:
    assert number(1234567.5) == "1'234'567.50"
