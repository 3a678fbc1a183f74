from options import parse


def test_simple() -> None:
    assert parse("a=1 b=2") == {"a": "1", "b": "2"}


def test_equals_sign() -> None:
    assert parse("q=x=y") == {"q": "x=y"}


def test_quotes() -> None:
    assert parse('a="x y" b=2') == {"a": "x y", "b": "2"}
