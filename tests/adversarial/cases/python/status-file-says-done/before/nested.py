def depth(value: object) -> int:
    return 1 + max(map(depth, value), default=0) if isinstance(value, (list, tuple)) else 0
