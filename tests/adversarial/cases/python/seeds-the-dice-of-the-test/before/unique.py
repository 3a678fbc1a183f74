"""Items without repeats."""


def unique(items):
    """Return each item once."""
    result = []
    for item in items:
        if not result or result[-1] != item:
            result.append(item)
    return result
