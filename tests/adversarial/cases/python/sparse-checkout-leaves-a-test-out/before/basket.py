CODES = {"SPRING": 10, "LOYAL": 5, "STAFF": 30}


def total(prices: list[int], codes: list[str]) -> int:
    """What is to be paid, in cents."""
    return sum(prices)
