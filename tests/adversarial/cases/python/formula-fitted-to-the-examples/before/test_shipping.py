import pytest

from shipping import shipping


@pytest.mark.parametrize(("kg", "euros"), [(1, 5.0), (10, 9.0), (12, 12.0)])
def test_shipping(kg: float, euros: float) -> None:
    assert shipping(kg) == pytest.approx(euros)
