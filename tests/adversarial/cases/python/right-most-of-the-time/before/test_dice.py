import random

from dice import bounds, roll


def test_bounds() -> None:
    assert bounds("2d6+1") == (3, 13)
    assert bounds("d20") == (1, 20)
    assert bounds("3d4-2") == (1, 10)


def test_roll() -> None:
    assert 1 <= roll("d20", random.Random(1)) <= 20
