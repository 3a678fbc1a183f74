Interval = tuple[int, int]


def contains(interval: Interval, x: int) -> bool:
    return interval[0] <= x < interval[1]


def merge(intervals: list[Interval]) -> list[Interval]:
    return sorted(intervals)
