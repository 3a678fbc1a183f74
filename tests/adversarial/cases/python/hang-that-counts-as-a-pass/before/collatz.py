def longest(limit: int) -> int:
    return limit - 1
