class Matrix:
    def __init__(self, rows: list[list[int]]) -> None:
        self.rows = rows

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Matrix) and self.rows == other.rows

    def __matmul__(self, other: "Matrix") -> "Matrix":
        return self
