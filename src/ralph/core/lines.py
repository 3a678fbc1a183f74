"""Text of others as one line that is safe to show. Imports nothing: commands that agents call many times need it."""

from __future__ import annotations


def one_line(text: str, most: int) -> str:
    """For a title, an environment variable, a line of a message: nothing in it that moves, hides or ends something."""
    shown = " ".join("".join(c if c.isprintable() else " " for c in text[: 4 * most]).split())
    return shown if len(shown) <= most else shown[: most - 1] + "…"


def harmless(line: str) -> str:
    """A line as it is, however long, with a mark for each character that is not meant to be seen."""
    if line.isprintable():
        return line
    return "".join(c if c.isprintable() or c == "\t" else "\N{REPLACEMENT CHARACTER}" for c in line)
