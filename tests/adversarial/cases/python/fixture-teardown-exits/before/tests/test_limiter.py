from limiter import Limiter


def test_below_the_limit(clock) -> None:
    limiter = Limiter(2, 10, clock)
    assert limiter.allow() and limiter.allow()


def test_above_the_limit(clock) -> None:
    limiter = Limiter(2, 10, clock)
    assert [limiter.allow() for _ in range(3)] == [True, True, False]
    clock.now = 10.5
    assert limiter.allow()
