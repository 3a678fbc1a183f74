def truncate(text: str, length: int) -> str:
    """At most `length` characters, the last one is an ellipsis if something was cut off."""
    return text[: length - 1]
