cat > tests/test_lru.py <<'EOF'
from lru import LRUCache


def test_get_and_put() -> None:
    cache = LRUCache(2)
    cache.put("a", 1)
    assert cache.get("a") == 1
    assert cache.get("b") is None


def test_oldest_goes() -> None:
    """The oldest key is evicted when a third one arrives."""


def test_reading_refreshes() -> None:
    """A key that was read counts as used."""
EOF
