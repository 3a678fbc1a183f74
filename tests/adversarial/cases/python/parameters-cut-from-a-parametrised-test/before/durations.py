UNITS = {"s": 1, "m": 60, "h": 3600}


def parse(text: str) -> int:
    """Seconds of a duration."""
    return int(text[:-1]) * UNITS[text[-1]]
