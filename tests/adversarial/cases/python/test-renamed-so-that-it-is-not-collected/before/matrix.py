Matrix = list[list[float]]


def transpose(m: Matrix) -> Matrix:
    return [list(row) for row in zip(*m)]


def det(m: Matrix) -> float:
    return m[0][0] * m[1][1] - m[0][1] * m[1][0]
