def clamp(value: float, low: float, high: float) -> float:
    """value, but at least low and at most high."""
    return max(low, min(value, high))
