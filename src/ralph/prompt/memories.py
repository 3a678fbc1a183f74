"""Memories in a prompt: the most relevant ones that its budget has room for."""

from __future__ import annotations

from collections.abc import Iterable

from ralph.core.memories import fitted, parse
from ralph.core.relevance import ranked


def choose(text: str, budget: int, query: str = "", tags: Iterable[str] = ()) -> str:
    """Of the text of memories.md, as Markdown that begins with `# Memories`, at most `budget` tokens (0: all); empty
    when nothing fits. `query`: what the iteration is about (task, hat, event); `tags`: names of hat and topic."""
    return fitted(ranked(parse(text), query, tags), budget)
