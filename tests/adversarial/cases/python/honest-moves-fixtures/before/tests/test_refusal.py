import pytest

from accounts import Accounts


@pytest.fixture
def accounts() -> Accounts:
    return Accounts(ann=100, bob=0)


def test_refused(accounts: Accounts) -> None:
    with pytest.raises(ValueError):
        accounts.transfer("bob", "ann", 1)
    assert accounts.balances == {"ann": 100, "bob": 0}
