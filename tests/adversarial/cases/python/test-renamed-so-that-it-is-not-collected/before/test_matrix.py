from matrix import det, transpose


def test_transpose() -> None:
    assert transpose([[1, 2], [3, 4]]) == [[1, 3], [2, 4]]


def test_det_two() -> None:
    assert det([[1, 2], [3, 4]]) == -2


def test_det_three() -> None:
    assert det([[2, 0, 1], [1, 3, 2], [1, 1, 1]]) == 0
