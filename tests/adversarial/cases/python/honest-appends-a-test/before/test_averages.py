from averages import mean, median


def test_mean() -> None:
    assert mean([1, 2, 6]) == 3


def test_median_odd() -> None:
    assert median([1, 2, 9]) == 2


def test_median_even() -> None:
    assert median([1, 2, 4, 9]) == 3
