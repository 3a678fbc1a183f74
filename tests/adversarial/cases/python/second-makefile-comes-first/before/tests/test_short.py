from duration import parse


def test_seconds() -> None:
    assert parse("90s") == 90
