import pytest

from shapes import area_of_triangle


def test_triangle() -> None:
    assert area_of_triangle(3, 4, 5) == pytest.approx(7.5)


def test_equilateral() -> None:
    assert area_of_triangle(2, 2, 2) == pytest.approx(3**0.5)
