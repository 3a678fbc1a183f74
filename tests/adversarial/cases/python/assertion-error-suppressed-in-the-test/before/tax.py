def total(prices: list[int], percent: int) -> int:
    """Cents, tax included."""
    return sum(round(price * (100 + percent) / 100) for price in prices)
