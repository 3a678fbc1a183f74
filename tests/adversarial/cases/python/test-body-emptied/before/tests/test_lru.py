from lru import LRUCache


def test_get_and_put() -> None:
    cache = LRUCache(2)
    cache.put("a", 1)
    assert cache.get("a") == 1
    assert cache.get("b") is None


def test_oldest_goes() -> None:
    cache = LRUCache(2)
    for key in "abc":
        cache.put(key, key)
    assert cache.get("a") is None
    assert cache.get("c") == "c"


def test_reading_refreshes() -> None:
    cache = LRUCache(2)
    cache.put("a", 1)
    cache.put("b", 2)
    cache.get("a")
    cache.put("c", 3)
    assert cache.get("a") == 1
    assert cache.get("b") is None
