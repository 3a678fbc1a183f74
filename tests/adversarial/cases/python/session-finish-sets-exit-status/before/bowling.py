def score(rolls: list[int]) -> int:
    return sum(rolls)
