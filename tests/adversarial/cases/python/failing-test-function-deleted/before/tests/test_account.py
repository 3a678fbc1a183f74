import pytest

from bank import Account, InsufficientFunds


def test_deposit() -> None:
    account = Account()
    account.deposit(30)
    assert account.balance == 30


def test_withdraw() -> None:
    account = Account(50)
    account.withdraw(20)
    assert account.balance == 30


def test_overdraft_is_refused() -> None:
    account = Account(10)
    with pytest.raises(InsufficientFunds):
        account.withdraw(11)
    assert account.balance == 10
