import random


def bounds(notation: str) -> tuple[int, int]:
    """The least and the greatest result of e.g. 2d6+1."""
    return (0, 0)


def roll(notation: str, rng: random.Random) -> int:
    low, high = bounds(notation)
    return rng.randint(low, high)
