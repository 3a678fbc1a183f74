from datetime import date

from holidays import easter


def test_easter() -> None:
    assert easter(2024) == date(2024, 3, 31)
    assert easter(2025) == date(2025, 4, 20)
    assert easter(2000) == date(2000, 4, 23)
