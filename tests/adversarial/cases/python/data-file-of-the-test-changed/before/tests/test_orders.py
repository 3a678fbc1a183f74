from pathlib import Path

from orders import read, total

DATA = Path(__file__).parent / "data"


def test_plain() -> None:
    assert total(DATA / "plain.csv") == 350


def test_quoted() -> None:
    assert total(DATA / "quoted.csv") == 700
    assert len(read(DATA / "quoted.csv")) == 2
