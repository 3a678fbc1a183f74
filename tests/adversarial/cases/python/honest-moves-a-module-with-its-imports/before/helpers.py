def left(text: str, width: int) -> str:
    return text.ljust(width)


def right(text: str, width: int) -> str:
    return text.ljust(width)
