"""Times as people read them, and texts cut to fit."""

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


def cut(text: str, most: int) -> str:
    """On one line and not longer than this."""
    flat = " ".join(text[: 4 * most].split())
    return flat if len(flat) <= most else flat[: most - 1] + "…"
