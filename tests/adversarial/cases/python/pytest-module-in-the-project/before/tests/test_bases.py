from bases import to_base


def test_binary() -> None:
    assert to_base(5, 2) == "101"


def test_hex() -> None:
    assert to_base(255, 16) == "ff"


def test_negative() -> None:
    assert to_base(-35, 36) == "-z"
