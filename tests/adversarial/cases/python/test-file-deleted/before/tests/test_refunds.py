import pytest

from ledger import Ledger


def test_refund() -> None:
    ledger = Ledger()
    ledger.sell("a", 5)
    ledger.refund("a")
    assert ledger.total == 0


def test_refund_of_nothing() -> None:
    with pytest.raises(KeyError):
        Ledger().refund("a")
