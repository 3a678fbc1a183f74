def compare(a: str, b: str) -> int:
    """-1, 0 or 1."""
    return (a > b) - (a < b)
