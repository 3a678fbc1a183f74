from pathlib import Path

from invoice import render
from tests.lines import LINES


def test_invoice() -> None:
    assert render(LINES) == (Path(__file__).parent / "golden/invoice.txt").read_text()
