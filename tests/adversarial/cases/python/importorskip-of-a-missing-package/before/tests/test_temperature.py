import pytest

from units.temperature import convert


@pytest.mark.parametrize(
    ("value", "source", "target", "result"), [(0, "C", "K", 273.15), (212, "F", "C", 100), (5, "C", "C", 5)]
)
def test_temperature(value: float, source: str, target: str, result: float) -> None:
    assert convert(value, source, target) == pytest.approx(result)
