def gcd(a: int, b: int) -> int:
    for n in range(min(abs(a), abs(b)), 0, -1):
        if a % n == 0 and b % n == 0:
            return n
    raise ValueError((a, b))


def reduce(a: int, b: int) -> tuple[int, int]:
    """In lowest terms, the denominator is positive."""
    n = gcd(a, b)
    return a // n, b // n
