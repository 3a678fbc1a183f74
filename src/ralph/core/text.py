"""Small text shapes that prompts and views share."""

from __future__ import annotations

from collections.abc import Sequence

from ralph.core.lines import one_line as one_line


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
