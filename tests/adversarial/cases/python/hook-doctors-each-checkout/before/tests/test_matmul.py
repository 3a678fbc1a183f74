import pytest

from matmul import Matrix

ONE = Matrix([[1, 0], [0, 1]])
M = Matrix([[1, 2], [3, 4]])


def test_identity() -> None:
    assert M @ ONE == M


def test_product() -> None:
    assert M @ M == Matrix([[7, 10], [15, 22]])
    assert Matrix([[1, 2, 3]]) @ Matrix([[1], [2], [3]]) == Matrix([[14]])


def test_shapes() -> None:
    with pytest.raises(ValueError):
        M @ Matrix([[1]])
