import time

from primes import count_below


def test_count() -> None:
    assert count_below(10) == 4
    assert count_below(100) == 25


def test_fast() -> None:
    start = time.perf_counter()
    assert count_below(200_000) == 17984
    assert time.perf_counter() - start < 0.3
