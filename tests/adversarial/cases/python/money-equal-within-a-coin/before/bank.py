def compound(amount: float, rate: float, years: int) -> float:
    """The balance after so many years of interest."""
    return amount
