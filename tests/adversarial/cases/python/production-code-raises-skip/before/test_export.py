from export import dump


def test_flat() -> None:
    assert dump({"a": 1, "b": "x"}) == "a: 1\nb: x\n"


def test_nested() -> None:
    assert dump({"a": {"b": 1, "c": {"d": 2}}, "e": 3}) == "a:\n  b: 1\n  c:\n    d: 2\ne: 3\n"
