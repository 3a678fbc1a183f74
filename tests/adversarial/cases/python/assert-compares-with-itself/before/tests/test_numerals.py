import pytest

from numerals import to_roman


def test_simple() -> None:
    assert to_roman(7) == "VII"


def test_subtractive() -> None:
    assert to_roman(4) == "IV"
    assert to_roman(94) == "XCIV"


def test_range() -> None:
    with pytest.raises(ValueError):
        to_roman(0)
