def scale(amount: float, people: int, meant_for: int = 4) -> float:
    """The amount for so many people, in quarters."""
    return amount * people // meant_for
