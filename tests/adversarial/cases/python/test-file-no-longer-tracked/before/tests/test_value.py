from blackjack import value


def test_soft() -> None:
    assert value(["A", "7"]) == 18


def test_aces() -> None:
    assert value(["A", "A", "9"]) == 21
    assert value(["K", "Q", "A"]) == 21
