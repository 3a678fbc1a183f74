from math import hypot


def distance_km(lat1: float, lon1: float, lat2: float, lon2: float) -> float:
    return 111.2 * hypot(lat2 - lat1, lon2 - lon1)
