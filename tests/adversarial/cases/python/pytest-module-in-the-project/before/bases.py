def to_base(number: int, base: int) -> str:
    return bin(number)[2:]
