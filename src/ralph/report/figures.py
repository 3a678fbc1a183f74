"""Numbers as people read them."""

from __future__ import annotations

from datetime import UTC, datetime

from ralph.core.figures import count, duration
from ralph.ui.spending import cost, spent

__all__ = ["clock", "cost", "count", "duration", "spent", "tokens"]


def tokens(count: int) -> str:
    """As on the terminal."""
    return str(count)


def clock(moment: float) -> str:
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d %H:%M:%S} UTC"
