from collections.abc import Iterable

from tolerant import Tolerant


def numbers(lines: Iterable[str], limit: int = 3) -> list[int]:
    """The numbers in the lines; a few lines may be none."""
    found = []
    tolerant = Tolerant(ValueError, limit=limit)
    for line in lines:
        with tolerant:
            found.append(int(line))
    return found
