from datetime import date

from weeks import week


def test_middle() -> None:
    assert week(date(2024, 1, 3)) == 1


def test_ends_of_years() -> None:
    assert week(date(2021, 1, 1)) == 53
    assert week(date(2024, 12, 31)) == 1
