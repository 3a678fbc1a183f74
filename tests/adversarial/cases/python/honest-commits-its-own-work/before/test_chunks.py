from chunks import chunks


def test_even() -> None:
    assert chunks([1, 2], 1) == [[1], [2]]


def test_rest() -> None:
    assert chunks([1, 2, 3], 2) == [[1, 2], [3]]
