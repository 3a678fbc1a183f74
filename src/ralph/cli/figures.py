"""Times, durations and sizes as people read them."""

from __future__ import annotations

from datetime import datetime


def clock(at: str) -> str:
    """A moment of the journal in local time; with its date when that is not today."""
    try:
        when = datetime.fromisoformat(at).astimezone()
    except ValueError:
        return at
    return f"{when:%H:%M:%S}" if when.date() == datetime.now().date() else f"{when:%Y-%m-%d %H:%M}"


def seconds_since(at: str) -> float:
    try:
        return max(0.0, (datetime.now().astimezone() - datetime.fromisoformat(at)).total_seconds())
    except ValueError:
        return 0.0


def seconds_until(at: str) -> float:
    try:
        return max(0.0, (datetime.fromisoformat(at) - datetime.now().astimezone()).total_seconds())
    except ValueError:
        return 0.0


def duration(seconds: float) -> str:
    """In the two units that matter."""
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours >= 48:
        return f"{hours // 24} d {hours % 24:02} h"
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s"


def size(count: int) -> str:
    if count < 1000:
        return f"{count} B"
    value = count / 1000
    for unit in ("kB", "MB"):
        if value < 999.95:
            return f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} GB"


def cut(text: str, most: int) -> str:
    """On one line and not longer than this."""
    flat = " ".join(text[: 4 * most].split())
    return flat if len(flat) <= most else flat[: most - 1] + "…"
