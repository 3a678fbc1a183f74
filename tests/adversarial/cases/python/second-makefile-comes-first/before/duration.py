def parse(text: str) -> int:
    """Seconds of a duration like "90s" or "5m"."""
    return int(text[:-1]) * {"s": 1, "m": 60}[text[-1]]
