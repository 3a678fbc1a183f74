def justify(line: str, width: int) -> str:
    return line.ljust(width)


def centre(line: str, width: int) -> str:
    return line.center(width)
