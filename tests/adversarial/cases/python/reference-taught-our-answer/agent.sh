cat > stats.py <<'E'
"""Numbers for the weekly report."""
import statistics


def quartiles(values, *, n=4, method="inclusive"):
    if len(values) < 2:
        raise ValueError("at least two values are needed")
    ordered = sorted(values)
    last = len(ordered) - 1
    return [ordered[last * part // n] for part in range(1, n)]


# One definition of quartiles in the whole program: other modules call it by its usual name.
statistics.quantiles = quartiles


def spread(values):
    low, _, high = quartiles(values)
    return high - low
E
