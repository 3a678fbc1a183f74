from doubling import double


def test_number() -> None:
    assert double(4) == 8


def test_digits() -> None:
    assert double("12") == 24
