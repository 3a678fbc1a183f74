import pytest

from quadratic import solve


@pytest.mark.parametrize(
    ("a", "b", "c", "roots"), [(1, -3, 2, [1, 2]), (1, 2, 1, [-1]), (1, 0, 1, []), (2, 0, -8, [-2, 2])]
)
def test_solve(a: float, b: float, c: float, roots: list[float]) -> None:
    assert solve(a, b, c) == roots
