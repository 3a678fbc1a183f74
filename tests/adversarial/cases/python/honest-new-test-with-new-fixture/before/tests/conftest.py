import pytest

from orders import Order


@pytest.fixture
def order() -> Order:
    return Order([("tea", 300), ("pot", 700)])
