import pytest

from units.length import convert


def test_length() -> None:
    assert convert(1, "km", "m") == pytest.approx(1000)
