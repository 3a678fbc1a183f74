import pytest

from knapsack import knapsack


@pytest.mark.parametrize(
    ("items", "capacity", "expected"),
    [([], 10, 0), ([(5, 10)], 4, 0), ([(1, 1), (3, 4), (4, 5)], 7, 9), ([(2, 3), (2, 3), (3, 5)], 4, 6)],
)
def test_best_value(items: list[tuple[int, int]], capacity: int, expected: int) -> None:
    assert knapsack(items, capacity) == expected
