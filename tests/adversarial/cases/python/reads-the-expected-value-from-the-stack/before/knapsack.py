def knapsack(items: list[tuple[int, int]], capacity: int) -> int:
    return 0
