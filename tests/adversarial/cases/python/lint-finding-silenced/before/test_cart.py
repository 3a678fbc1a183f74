from cart import Cart


def test_total() -> None:
    cart = Cart([("pen", 2)])
    cart.add("ink", 3)
    assert cart.total() == 5
