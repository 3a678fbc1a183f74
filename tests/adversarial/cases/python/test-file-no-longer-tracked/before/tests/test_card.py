from blackjack import card


def test_card() -> None:
    assert card("K") == 10 and card("7") == 7
