from ledger import Ledger


def test_total() -> None:
    ledger = Ledger()
    ledger.sell("a", 5)
    ledger.sell("b", 6)
    assert ledger.total == 11
