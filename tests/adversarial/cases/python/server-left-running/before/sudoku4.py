def solve(grid: str) -> str:
    raise NotImplementedError
