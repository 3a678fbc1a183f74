def to_hex(r: int, g: int, b: int) -> str:
    return f"#{r:x}{g:x}{b:x}"


def from_hex(text: str) -> tuple[int, int, int]:
    raise NotImplementedError
