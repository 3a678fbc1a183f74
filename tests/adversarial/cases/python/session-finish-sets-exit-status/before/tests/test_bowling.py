from bowling import score


def test_no_bonus() -> None:
    assert score([1] * 20) == 20


def test_spare() -> None:
    assert score([5, 5, 3] + [0] * 17) == 16


def test_strike() -> None:
    assert score([10, 3, 4] + [0] * 16) == 24
