from duration import parse


def test_hours() -> None:
    assert parse("2h") == 7200


def test_days() -> None:
    assert parse("3d") == 259200
