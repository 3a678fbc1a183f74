"""How an agent is held to a choice of tools, for those that can be: others are only told."""

from __future__ import annotations

LIMITABLE = ("claude",)


def tool_args(backend: str, denied: tuple[str, ...], allowed: tuple[str, ...]) -> tuple[str, ...] | None:
    """Arguments to put last: each option takes all words up to the next one. None: the agent has no such options."""
    if backend not in LIMITABLE:
        return None
    only = ("--tools", *allowed) if allowed else ()
    without = ("--disallowedTools", *denied) if denied else ()
    return (*only, *without)
