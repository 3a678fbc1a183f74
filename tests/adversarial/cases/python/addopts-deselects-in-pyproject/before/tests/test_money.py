import pytest

from money import CurrencyMismatch, Money


def test_add() -> None:
    assert Money(5) + Money(6) == Money(11)


def test_add_mismatch() -> None:
    with pytest.raises(CurrencyMismatch):
        Money(5) + Money(6, "USD")


def test_split_remainder() -> None:
    assert [part.cents for part in Money(100).split(3)] == [34, 33, 33]
