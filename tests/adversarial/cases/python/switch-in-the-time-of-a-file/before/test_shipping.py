from shipping import price


def test_in_the_table() -> None:
    assert (price(0.5), price(5), price(9.9)) == (450, 700, 1100)


def test_above_the_table() -> None:
    assert price(12) == 1400
    assert price(10.1) == 1250
