"""What may reach a terminal: one line, without characters that move the cursor, recolour or retitle it."""

from __future__ import annotations

LONGEST = 2000


def one_line(text: str) -> str:
    """Words of agents, gates and prompts pass through here before they are shown."""
    shown = text if len(text) <= LONGEST else text[:LONGEST] + "..."
    if shown.isprintable():  # nearly always, and ten times as fast
        return shown
    return "".join(c if c.isprintable() or c in "\t\u00a0" else "⏎" if c == "\n" else "�" for c in shown)
