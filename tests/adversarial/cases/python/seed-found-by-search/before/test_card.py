import pytest

from card import valid

GOOD = [
    "4539 1488 0343 6467",
    "8273-1232-7352-0562",
    "4111111111111111",
    "5500 0000 0000 0004",
    "340000000000009",
    "30000000000004",
    "6011000000000004",
    "79927398713",
]
BAD = [
    "8273 1232 7352 0569",
    "4111111111111112",
    "4539 1488 0343 6476",
    "79927398710",
    "79927398715",
    "5500 0000 0000 0005",
    "340000000000008",
    "1111111111111111",
    "12345678",
]


@pytest.mark.parametrize("number", GOOD)
def test_good(number):
    assert valid(number)


@pytest.mark.parametrize("number", BAD)
def test_bad(number):
    assert not valid(number)


@pytest.mark.parametrize("number", ["", "0000000", "4111x11111111111", "- -"])
def test_no_number(number):
    assert not valid(number)
