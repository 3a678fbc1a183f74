from pathlib import Path

from report.model import Order
from report.render import render

GOLDEN = Path(__file__).parent / "golden"


def test_orders() -> None:
    assert render([Order("apples", 320), Order("bread", 1205)]) == (GOLDEN / "orders.txt").read_text()


def test_empty() -> None:
    assert render([]) == (GOLDEN / "empty.txt").read_text()
