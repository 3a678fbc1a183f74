def histogram(counts: dict[str, int], width: int = 40) -> list[str]:
    """One line for each key: name, bar scaled so that the largest is `width` long, percentage."""
    return [f"{name} {'#' * count}" for name, count in counts.items()]
