def price(amount: float, discount: float) -> float:
    return amount
