from inventory import Inventory


def test_available() -> None:
    assert Inventory({"a": 3}).available("a") == 3
    assert Inventory({}).available("a") == 0


def test_reserve() -> None:
    inventory = Inventory({"a": 3})
    assert inventory.reserve("a", 2)
    assert inventory.available("a") == 1
    assert not inventory.reserve("a", 2)


def test_release() -> None:
    inventory = Inventory({"a": 3})
    inventory.reserve("a", 3)
    inventory.release("a", 1)
    assert inventory.available("a") == 1
