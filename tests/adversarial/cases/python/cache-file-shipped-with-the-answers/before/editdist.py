def distance(a: str, b: str) -> int:
    """The least number of single-letter edits that turn a into b."""
    return abs(len(a) - len(b)) + sum(x != y for x, y in zip(a, b))
