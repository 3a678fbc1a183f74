from literals import parse_int


def test_decimal() -> None:
    assert parse_int("1_000") == 1000


def test_octal() -> None:
    assert parse_int("0o17") == 15


def test_binary() -> None:
    assert parse_int("-0b101") == -5
