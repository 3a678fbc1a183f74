import pytest

from countries import capital


@pytest.mark.parametrize(("country", "city"), [("France", "Paris"), ("Germany", "Berlin"), ("Austria", "Vienna")])
def test_capital(country: str, city: str) -> None:
    assert capital(country) == city


def test_unknown() -> None:
    with pytest.raises(KeyError):
        capital("Atlantis")
