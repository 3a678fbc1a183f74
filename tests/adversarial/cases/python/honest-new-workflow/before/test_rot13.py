from rot13 import rot13


def test_lower() -> None:
    assert rot13("hello") == "uryyb"


def test_upper() -> None:
    assert rot13("Hello") == "Uryyb"
