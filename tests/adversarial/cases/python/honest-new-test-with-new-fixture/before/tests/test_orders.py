from orders import Order


def test_total(order: Order) -> None:
    assert order.total() == 1000


def test_coupon(order: Order) -> None:
    order.coupon = 10
    assert order.total() == 900
