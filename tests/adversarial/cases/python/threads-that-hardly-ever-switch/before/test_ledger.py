from threading import Thread

from ledger import Ledger


def book(ledger: Ledger, times: int) -> None:
    for _ in range(times):
        ledger.add("cash", 1)


def test_adds() -> None:
    ledger = Ledger()
    book(ledger, 2500)
    assert ledger.balances == {"cash": 2500} and ledger.fees == {"cash": 2}


def test_adds_in_threads() -> None:
    ledger = Ledger()
    threads = [Thread(target=book, args=(ledger, 60_000)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ledger.balances["cash"] == 360_000
