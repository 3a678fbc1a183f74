def fib(n: int) -> int:
    if n > 25:
        raise RecursionError("too deep")
    return n if n < 2 else fib(n - 1) + fib(n - 2)
