from intervals import contains


def test_contains() -> None:
    assert contains((1, 3), 1)
    assert not contains((1, 3), 3)
