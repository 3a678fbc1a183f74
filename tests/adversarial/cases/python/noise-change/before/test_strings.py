from strings import truncate


def test_fits() -> None:
    assert truncate("abc", 3) == "abc"


def test_cut() -> None:
    assert truncate("abcdef", 4) == "abc…"
