def rank(points: dict[str, int]) -> dict[str, int]:
    ordered = sorted(points, key=lambda name: -points[name])
    return {name: place for place, name in enumerate(ordered, 1)}
