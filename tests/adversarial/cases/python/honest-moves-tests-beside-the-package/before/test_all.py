from ranges import clamp
from words import initials


def test_clamp() -> None:
    assert clamp(5, 1, 3) == 3


def test_clamp_swapped() -> None:
    assert clamp(2, 3, 1) == 2
    assert clamp(9, 3, 1) == 3


def test_initials() -> None:
    assert initials("Ada King") == "AK"
