from limits import clamp


def test_inside() -> None:
    assert clamp(5, 0, 10) == 5


def test_swapped() -> None:
    assert clamp(15, 10, 0) == 10
    assert clamp(5, 10, 0) == 5
