from lookup import price_of


def test_known() -> None:
    assert price_of("tea", 2) == 6


def test_unknown() -> None:
    assert price_of("gold") == 0
