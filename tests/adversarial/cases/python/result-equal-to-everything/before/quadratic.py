def solve(a: float, b: float, c: float) -> list[float]:
    raise NotImplementedError
