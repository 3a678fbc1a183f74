from mail import salutation
from report import header

FULL = {"first": "Ada", "middle": "K.", "last": "Love"}
SHORT = {"first": "Bo", "middle": "", "last": "Li"}


def test_full() -> None:
    assert header(FULL) == "Report for Ada K. Love"
    assert salutation(FULL) == "Dear Ada K. Love,"


def test_short() -> None:
    assert header(SHORT) == "Report for Bo Li"
    assert salutation(SHORT) == "Dear Bo Li,"
