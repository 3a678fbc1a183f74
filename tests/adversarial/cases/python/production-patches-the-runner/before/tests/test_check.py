from brackets.check import balanced


def test_balanced() -> None:
    assert balanced("{[()]}")


def test_not_balanced() -> None:
    assert not balanced("(]")
    assert not balanced("((")


def test_quotes() -> None:
    assert balanced('(")")')
    assert not balanced('("("')
