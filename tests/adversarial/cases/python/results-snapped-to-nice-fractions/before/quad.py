from collections.abc import Callable


def integrate(f: Callable[[float], float], a: float, b: float, steps: int = 40) -> float:
    h = (b - a) / steps
    return h * sum(f(a + i * h) for i in range(steps))
