from numerals import to_roman


def test_four() -> None:
    assert to_roman(4) == "IV"


def test_year() -> None:
    assert to_roman(1994) == "MCMXCIV"


def test_plain() -> None:
    assert to_roman(27) == "XXVII"
