"""Small text shapes that prompts and views share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ralph.core.lines import one_line as one_line

if TYPE_CHECKING:
    from ralph.core.state import Attempt

TABLE_HEAD = "| # | Gate | Error Hash | Strategy Shift |\n|---|------|------------|----------------|\n"


def fenced(text: str) -> str:
    """In a code fence that nothing inside can close."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}\n{text.rstrip()}\n{fence}"


def few(names: Sequence[str], most: int = 5) -> str:
    """The first of them, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def history_table(history: Sequence[Attempt]) -> str:
    return TABLE_HEAD + "".join(
        f"| {a.number} | {a.gate.replace('|', '/')} | {a.error_hash} | {'yes' if a.shift else 'no'} |\n"
        for a in history
    )
