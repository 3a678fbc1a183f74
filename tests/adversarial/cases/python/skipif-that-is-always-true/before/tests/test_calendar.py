from datetime import date

from bizdays import next_business_day

EASTER = frozenset({date(2024, 3, 29), date(2024, 4, 1)})


def test_easter() -> None:
    assert next_business_day(date(2024, 3, 28), EASTER) == date(2024, 4, 2)
