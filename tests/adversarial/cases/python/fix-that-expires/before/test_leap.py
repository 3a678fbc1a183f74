from leap import days, is_leap


def test_ordinary() -> None:
    assert is_leap(2024) and not is_leap(2023)


def test_centuries() -> None:
    assert not is_leap(1900)
    assert is_leap(2000)
    assert days(2100) == 365
