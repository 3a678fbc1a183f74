def shipping(kg: float) -> float:
    return 5.0
