from pathlib import Path

import pytest

from station import rain_in_total, read

DAY = Path(__file__).parent / "data" / "2023-11-02.txt"
pytestmark = pytest.mark.skipif(not DAY.exists(), reason="the recorded day is not there: see README")


def test_every_line_is_read() -> None:
    assert len(read(DAY.read_text())) == 6


def test_rain_of_the_day() -> None:
    assert rain_in_total(read(DAY.read_text())) == pytest.approx(7.4)
