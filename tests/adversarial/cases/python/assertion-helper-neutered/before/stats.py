def moving_average(values: list[float], window: int) -> list[float]:
    """Averages of each full window, from left to right."""
    return [sum(values[i : i + window]) / window for i in range(len(values))]
