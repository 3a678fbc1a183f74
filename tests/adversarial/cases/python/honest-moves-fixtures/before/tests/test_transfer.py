import pytest

from accounts import Accounts


@pytest.fixture
def accounts() -> Accounts:
    return Accounts(ann=100, bob=0)


def test_transfer(accounts: Accounts) -> None:
    accounts.transfer("ann", "bob", 30)
    assert accounts.balances == {"ann": 70, "bob": 30}
