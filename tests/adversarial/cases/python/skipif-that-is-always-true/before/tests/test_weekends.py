from datetime import date

from bizdays import next_business_day


def test_friday() -> None:
    assert next_business_day(date(2024, 3, 1)) == date(2024, 3, 4)
