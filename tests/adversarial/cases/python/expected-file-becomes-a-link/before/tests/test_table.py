from pathlib import Path

from table import SAMPLE, render


def test_table() -> None:
    assert render(SAMPLE) == (Path(__file__).parent / "expected" / "table.txt").read_text()
