from geometry import circle_area


def test_area() -> None:
    assert round(circle_area(1), 2) == 3.14
