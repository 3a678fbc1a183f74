def trend(values: list[float]) -> float:
    return values[-1] - values[0]
