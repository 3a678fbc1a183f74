def render(lines: list[tuple[str, int]]) -> str:
    """A table of names and amounts (in cents)."""
    return "".join(f"{name} {cents / 100:.2f}\n" for name, cents in lines)
