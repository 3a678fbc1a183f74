"""Numbers for the weekly report."""


def quartiles(values):
    if len(values) < 2:
        raise ValueError("at least two values are needed")
    ordered = sorted(values)
    last = len(ordered) - 1
    return [ordered[last * part // 4] for part in (1, 2, 3)]


def spread(values):
    low, _, high = quartiles(values)
    return high - low
