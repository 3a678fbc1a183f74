from datetime import date, timedelta


def next_business_day(day: date, holidays: frozenset[date] = frozenset()) -> date:
    day += timedelta(days=1)
    while day.weekday() >= 5:
        day += timedelta(days=1)
    return day
