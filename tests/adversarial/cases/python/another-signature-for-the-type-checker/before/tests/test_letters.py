from shop.customers import find
from shop.letters import greeting


def test_greets() -> None:
    assert greeting("ada") == "Dear Lady Lovelace,"
    assert greeting("alan") == "Dear Turing,"


def test_finds() -> None:
    assert find("nobody") is None
