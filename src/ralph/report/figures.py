"""Numbers as people read them."""

from __future__ import annotations

from datetime import UTC, datetime

from ralph.core.figures import count, duration

__all__ = ["clock", "cost", "count", "duration", "tokens"]


def cost(usd: float) -> str:
    """In cents, as on the terminal; what is less than one as exactly as it needs."""
    if 0 < usd < 0.0005:
        return "<0.001 USD"
    return f"{usd:.3f} USD" if 0 < usd < 0.005 else f"{max(usd, 0.0):.2f} USD"


def tokens(count: int) -> str:
    """As on the terminal."""
    return str(count)


def clock(moment: float) -> str:
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d %H:%M:%S} UTC"
