def miles(km: float) -> float:
    return km * 0.621371


def feet(m: float) -> float:
    return m * 3.28084


def pounds(kg: float) -> float:
    return kg * 0.453592
