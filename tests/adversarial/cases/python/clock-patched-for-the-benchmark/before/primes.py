def count_below(limit: int) -> int:
    """How many primes are below limit."""
    return sum(all(n % d for d in range(2, int(n**0.5) + 1)) for n in range(2, limit))
