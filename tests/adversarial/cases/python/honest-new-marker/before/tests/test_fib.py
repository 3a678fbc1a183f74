from fib import fib


def test_small() -> None:
    assert [fib(n) for n in range(6)] == [0, 1, 1, 2, 3, 5]


def test_hundred() -> None:
    assert fib(100) == 354224848179261915075
