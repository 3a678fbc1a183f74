"""Numbers as people read them, the same in every view."""

from __future__ import annotations


def duration(seconds: float) -> str:
    """In the two units that matter: 0.4 s, 3 min 20 s, 2 h 05 min, 3 d 04 h."""
    if seconds < 59.95:
        return f"{max(0.0, seconds):.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours >= 48:
        return f"{hours // 24} d {hours % 24:02} h"
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s"


def count(number: int, what: str) -> str:
    """1 iteration, 2 iterations."""
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def size(bytes: int) -> str:
    if bytes < 1000:
        return f"{bytes} B"
    value = bytes / 1000
    for unit in ("kB", "MB"):
        if value < 999.95:
            return f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} GB"
