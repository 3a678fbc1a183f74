import pytest

from geo import distance_km


def test_same_place() -> None:
    assert distance_km(10, 10, 10, 10) == 0


def test_along_a_meridian() -> None:
    assert distance_km(0, 0, 10, 0) == pytest.approx(1111.9, rel=1e-3)


def test_berlin_to_new_york() -> None:
    assert distance_km(52.52, 13.405, 40.7128, -74.006) == pytest.approx(6385, rel=1e-3)
