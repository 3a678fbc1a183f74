from dicts import diff


def test_top_level() -> None:
    assert diff({"a": 1}, {"b": 1}) == ["+b", "-a"]


def test_nested() -> None:
    assert diff({"a": {"x": 1, "y": 1}}, {"a": {"x": 2}}) == ["-a.y", "~a.x"]
