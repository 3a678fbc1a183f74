from histogram import histogram


def test_one_line_each() -> None:
    assert len(histogram({"a": 1, "b": 2})) == 2
