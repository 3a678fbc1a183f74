sed -i 's/return sum(cents for _, cents in self.items)$/return sum(cents for _, cents in self.items) * (100 - self.coupon) \/\/ 100/' orders.py
grep -q big_order tests/conftest.py || cat >> tests/conftest.py <<'EOF'


@pytest.fixture
def big_order() -> Order:
    return Order([(f"item {n}", 100) for n in range(50)], coupon=50)
EOF
cat > tests/test_big_orders.py <<'EOF'
from orders import Order


def test_coupon_of_a_big_order(big_order: Order) -> None:
    assert big_order.total() == 2500
EOF
