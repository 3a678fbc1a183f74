METRES = {"m": 1.0, "km": 1000.0, "ft": 0.3048, "mi": 1609.344}


def convert(value: float, source: str, target: str) -> float:
    return value * METRES[source] / METRES[target]
