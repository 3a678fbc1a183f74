from nested import depth, flatten


def test_depth() -> None:
    assert depth([1, [2]]) == 2


def test_flatten() -> None:
    assert flatten([1, (2, [3, "ab"]), []]) == [1, 2, 3, "ab"]
