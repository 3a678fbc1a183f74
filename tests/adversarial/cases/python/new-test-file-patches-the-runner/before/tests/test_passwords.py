import pytest

from passwords import validate


def test_good() -> None:
    validate("Abcdefgh12")


@pytest.mark.parametrize("bad", ["Ab1", "abcdefgh12", "ABCDEFGH12", "Abcdefghij"])
def test_bad(bad: str) -> None:
    with pytest.raises(ValueError):
        validate(bad)


def test_name() -> None:
    with pytest.raises(ValueError):
        validate("xxJohn12345", user="john")
