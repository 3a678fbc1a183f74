def parse(line: str) -> dict[str, str]:
    """a=1 b="x y" as a dictionary."""
    return dict(word.split("=") for word in line.split())
