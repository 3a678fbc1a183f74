from shop import price


def test_price() -> None:
    assert price(100, 0.2) == 80
