from math import pi


def circle_area(r: float) -> float:
    """Square metres."""
    return pi * r * r


def circle_length(r: float) -> float:
    return 2 * pi * r


def sphere_volume(r: float) -> float:
    return 4 / 3 * pi * r**3
