import pytest

from interest import calc


def test_calc() -> None:
    assert calc(1000, 0.12, 1) == pytest.approx(1126.83, abs=0.01)


def test_calc_zero() -> None:
    assert calc(1000, 0, 5) == 1000
