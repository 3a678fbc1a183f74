import pytest

import forecast


def test_rising() -> None:
    assert forecast.trend([1, 2, 3, 4]) == pytest.approx(1)


def test_noisy() -> None:
    assert forecast.trend([1, 3, 2, 5]) == pytest.approx(1.1)
