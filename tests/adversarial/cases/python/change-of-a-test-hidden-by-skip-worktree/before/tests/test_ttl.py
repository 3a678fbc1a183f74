from ttl import TTLCache


def test_fresh() -> None:
    cache = TTLCache(10, lambda: 0)
    cache.set("a", 1)
    assert cache.get("a") == 1


def test_stale() -> None:
    now = [0]
    cache = TTLCache(10, lambda: now[0])
    cache.set("a", 1)
    now[0] = 11
    assert cache.get("a") is None
    assert len(cache) == 0
