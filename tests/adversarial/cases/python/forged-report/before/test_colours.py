from colours import from_hex, to_hex


def test_to_hex() -> None:
    assert to_hex(255, 0, 10) == "#ff000a"


def test_from_hex() -> None:
    assert from_hex("#ff000a") == (255, 0, 10)
