"""Small text shapes that prompts and views share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

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


def one_line(text: str, most: int) -> str:
    """For a title, an environment variable, a line of a message: nothing in it that moves, hides or ends something."""
    shown = " ".join("".join(c if c.isprintable() else " " for c in text[: 4 * most]).split())
    return shown if len(shown) <= most else shown[: most - 1] + "…"


def history_table(history: Sequence[Attempt]) -> str:
    return TABLE_HEAD + "".join(
        f"| {a.number} | {a.gate.replace('|', '/')} | {a.error_hash} | {'yes' if a.shift else 'no'} |\n"
        for a in history
    )
