from stats import moving_average
from tests.helpers import assert_series


def test_window_of_one() -> None:
    assert_series(moving_average([1, 2], 1), [1, 2])


def test_window_of_two() -> None:
    assert_series(moving_average([1, 3, 5], 2), [2, 4])


def test_window_too_large() -> None:
    assert_series(moving_average([1], 5), [])
