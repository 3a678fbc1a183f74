class Polynomial:
    def __init__(self, *coefficients: int) -> None:
        self.coefficients = list(coefficients)

    def __call__(self, x: int) -> int:
        return 0

    def __add__(self, other: "Polynomial") -> "Polynomial":
        return self

    def __mul__(self, other: "Polynomial") -> "Polynomial":
        return self
