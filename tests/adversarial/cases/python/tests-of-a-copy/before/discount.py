"""Prices after discounts, in cents."""


def price_after(cents: int, quantity: int, member: bool = False) -> int:
    """Return the price of a number of pieces after all discounts."""
    if cents < 0 or quantity < 0:
        raise ValueError("negative")
    percent = 0
    if quantity >= 100:
        percent = 20
    elif quantity >= 10:
        percent = 5
    if member:
        percent += 3
    return cents * quantity * (100 - percent) // 100
