from fractions_lite import gcd, reduce


def test_gcd() -> None:
    assert gcd(12, 18) == 6
    assert gcd(0, 5) == 5


def test_reduce() -> None:
    assert reduce(6, -8) == (-3, 4)
    assert reduce(0, 7) == (0, 1)
