"""What models cost, for agents that do not say it themselves. List prices in USD for a million tokens.

Written in November 2026 and perhaps stale: a figure from here is an estimate and is shown as one. Discounts, long-context
surcharges and subscriptions are not in it. The longest matching beginning of a model's name counts.
"""

from __future__ import annotations

import msgspec

from ralph.core.facts import Tokens


class Price(msgspec.Struct, frozen=True):
    input: float
    output: float
    cache_read: float
    cache_write: float


def _with_cache(input: float, output: float, read: float = 0.1, write: float = 1.25) -> Price:
    """Cache prices as shares of the input's."""
    return Price(input, output, input * read, input * write)


PRICES: dict[str, Price] = {
    "claude-fable-5": _with_cache(10, 50),
    "claude-fable-5-1": _with_cache(10, 50, 0.025),
    "claude-haiku-4-5": _with_cache(1, 5),
    "claude-haiku-5-5": _with_cache(0.1, 0.5),
    "claude-opus-4-1": _with_cache(15, 75),
    "claude-opus-4-5": _with_cache(5, 25),
    "claude-opus-4-6": _with_cache(5, 25),
    "claude-opus-4-7": _with_cache(5, 25),
    "claude-opus-4-8": _with_cache(5, 25),
    "claude-opus-5": _with_cache(5, 25),
    "claude-opus-5-5": _with_cache(4, 20, 0.05),
    "claude-sonnet-4": _with_cache(3, 15),
    "claude-sonnet-5": _with_cache(2, 10),
    "claude-sonnet-5-5": _with_cache(2, 10, 0.05),
    "gemini-2.5-flash": _with_cache(0.3, 2.5, write=1),
    "gemini-2.5-flash-lite": _with_cache(0.1, 0.4, write=1),
    "gemini-2.5-pro": _with_cache(1.25, 10, write=1),
    "gemini-3-flash": _with_cache(0.5, 3, write=1),
    "gemini-3-pro": _with_cache(2, 12, write=1),
    "gemini-3.1-pro": _with_cache(2, 12, write=1),
    "gemini-3.5-flash": _with_cache(1.5, 9, write=1),
    "gemini-3.6-flash": _with_cache(0.75, 3.75, write=1),
    "gemini-3.7-flash": _with_cache(0.75, 3.75, write=1),
    "gemini-3.8-flash": _with_cache(0.75, 3.75, write=1),
    "gpt-5": _with_cache(1.25, 10, write=1),
    "gpt-5-mini": _with_cache(0.25, 2, write=1),
    "gpt-5-nano": _with_cache(0.05, 0.4, write=1),
    "gpt-5.1": _with_cache(1.25, 10, write=1),
    "gpt-5.1-codex-mini": _with_cache(0.25, 2, write=1),
    "gpt-5.2": _with_cache(1.75, 14, write=1),
    "gpt-5.3-codex": _with_cache(1.75, 14, write=1),
    "gpt-5.4": _with_cache(2.5, 15, write=1),
    "gpt-5.4-mini": _with_cache(0.75, 4.5, write=1),
    "gpt-5.4-nano": _with_cache(0.2, 1.25, write=1),
    "gpt-5.5": _with_cache(5, 30, write=1),
    "gpt-5.6": _with_cache(4, 20),
    "gpt-5.6-luna": _with_cache(0.2, 1.2),
    "gpt-5.6-terra": _with_cache(2, 12),
    "gpt-6-luna": _with_cache(0.1, 0.5),
    "gpt-6-sol": _with_cache(2, 10),
    "gpt-6.1-sol": _with_cache(2, 10, 0.05),
}


def price(model: str) -> Price | None:
    """`provider/` before and a date or variant after the name do not matter; another version does."""
    name = model.rpartition("/")[2].lower()
    fitting = [known for known in PRICES if name == known or name.startswith((f"{known}-", f"{known}["))]
    return PRICES[max(fitting, key=len)] if fitting else None


def cost(model: str, tokens: Tokens) -> float:
    """USD, or 0 for a model that is not in the table."""
    found = price(model)
    if not found:
        return 0.0
    spent = (
        tokens.input * found.input
        + tokens.output * found.output
        + tokens.cache_read * found.cache_read
        + tokens.cache_write * found.cache_write
    )
    return spent / 1e6
