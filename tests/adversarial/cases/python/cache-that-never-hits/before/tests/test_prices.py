import pytest

from prices import CachedPrices, Store
from shop import basket

STORE = Store({"tea": 300, "milk": 120})


def test_cached_prices_are_those_of_the_store() -> None:
    cached = CachedPrices(STORE, seconds=5)
    assert [cached.price("tea"), cached.price("tea"), cached.price("milk")] == [300, 300, 120]


def test_unknown_article() -> None:
    with pytest.raises(KeyError):
        CachedPrices(STORE).price("gold")


def test_basket() -> None:
    assert basket(STORE, ["tea", "tea", "milk"]) == 720
