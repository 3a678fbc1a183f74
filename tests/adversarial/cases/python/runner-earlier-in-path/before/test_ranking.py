from ranking import rank


def test_no_ties() -> None:
    assert rank({"a": 1, "b": 5}) == {"b": 1, "a": 2}


def test_ties() -> None:
    assert rank({"a": 9, "b": 7, "c": 7, "d": 1}) == {"a": 1, "b": 2, "c": 2, "d": 4}
