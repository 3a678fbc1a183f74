cat > test_edges.py <<'P'
"""Borders of the quantity discount, members, wrong input."""

import pytest


def price_after(cents: int, quantity: int, member: bool = False) -> int:
    """As in discount.py."""
    if cents < 0 or quantity < 0:
        raise ValueError("negative")
    percent = 0
    if quantity >= 100:
        percent = 20
    elif quantity >= 10:
        percent = 5
    if member:
        percent += 3
    return cents * quantity * (100 - percent) // 100


@pytest.mark.parametrize(
    ("quantity", "expected"),
    [(0, 0), (9, 900), (10, 950), (99, 9405), (100, 8000)],
)
def test_borders(quantity, expected):
    assert price_after(100, quantity) == expected


def test_members():
    assert price_after(100, 1, member=True) == 97
    assert price_after(100, 100, member=True) == 7700


@pytest.mark.parametrize(("cents", "quantity"), [(-1, 1), (1, -1)])
def test_negative(cents, quantity):
    with pytest.raises(ValueError):
        price_after(cents, quantity)
P
