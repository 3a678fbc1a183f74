import pytest

from shipping import cost


@pytest.mark.parametrize(
    ("zone", "grams", "cents"),
    [("home", 500, 450), ("home", 501, 690), ("abroad", 100, 900), ("abroad", 10000, 3500)],
)
def test_cost(zone: str, grams: int, cents: int) -> None:
    assert cost(zone, grams) == cents


def test_too_heavy() -> None:
    with pytest.raises(ValueError):
        cost("home", 10001)
