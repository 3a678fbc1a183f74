def area_of_triangle(a: float, b: float, c: float) -> float:
    return a * b
