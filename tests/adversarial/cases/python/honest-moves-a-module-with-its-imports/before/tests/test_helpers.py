from helpers import left, right


def test_left() -> None:
    assert left("a", 3) == "a  "


def test_right() -> None:
    assert right("a", 3) == "  a"
