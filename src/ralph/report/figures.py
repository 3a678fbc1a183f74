"""Numbers as people read them."""

from __future__ import annotations

from datetime import UTC, datetime


def duration(seconds: float) -> str:
    """Two units at most: 0.4 s, 12 s, 3 min 20 s, 2 h 5 min, 3 d 4 h."""
    if seconds < 10:
        return f"{max(0.0, seconds):.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    for size, name, below, small in ((60, "min", 3600, "s"), (3600, "h", 86400, "min"), (86400, "d", 0, "h")):
        if whole < below or not below:
            part = whole % size // {"s": 1, "min": 60, "h": 3600}[small]
            return f"{whole // size} {name}" + (f" {part} {small}" if part else "")
    raise AssertionError


def cost(usd: float) -> str:
    """In cents; smaller sums as exactly as they need."""
    if 0 < usd < 0.0005:
        return "<$0.001"
    if usd >= 0.995 or usd <= 0 or round(usd, 2) == round(usd, 3):
        return f"${max(usd, 0.0):.2f}"
    return f"${usd:.3f}"


def tokens(count: int) -> str:
    """1234 -> 1.2k"""
    for size, letter in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if count >= size:
            return f"{count / size:.1f}".removesuffix(".0") + letter
    return str(count)


def count(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def clock(moment: float) -> str:
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d %H:%M:%S} UTC"
