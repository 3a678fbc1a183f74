"""Small pieces of HTML. Whatever comes from outside goes through here."""

from __future__ import annotations

import re
from html import escape

from ralph.report.harmless import one_line, visible
from ralph.ui.activity import readable


def section(name: str, content: str) -> str:
    return f"{section_start(name)}{content}</section>"


def section_start(name: str) -> str:
    return f"<section><h2>{escape(name)}</h2>"


def scroll(content: str, name: str) -> str:
    """Wider than a small screen: it scrolls by itself, also with the keyboard."""
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(name)}">{content}</div>'


def folded(summary: str, text: str, opened: bool) -> str:
    how = " open" if opened else ""
    return f'<details class="text"{how}><summary>{summary}</summary><pre tabindex="0">{text}</pre></details>'


def plain(text: str) -> str:
    return escape(text, quote=False)


def told(text: str) -> str:
    """What an agent printed: JSON of a known shape is put into words, the rest is as it is."""
    shown = [part for line in text.split("\n") for part in readable(line)]
    return plain(visible("\n".join(shown)))


_LINE_TAGS = {"+": "ins", "-": "del", "@": "b"}


def coloured(patch: str) -> str:
    """A change, line by line; the names of files are not taken for changed lines."""
    shown = []
    for line in patch.split("\n"):
        tag = _LINE_TAGS.get(line[:1])
        if line.startswith(("+++ ", "--- ", "diff --git ")):
            tag = "b"
        text = escape(line, quote=False)
        shown.append(f"<{tag}>{text}</{tag}>" if tag else text)
    return "\n".join(shown)


def inline(text: str, most: int = 300) -> str:
    """Hostile text on one line, as HTML; also fit for an attribute."""
    return escape(one_line(text, most))


_COMMAND = re.compile(r"`([^`]+)`")


def commands(text: str) -> str:
    """Advice, in which names from outside may stand; the commands in it are marked as such."""
    return _COMMAND.sub(r"<code>\1</code>", inline(text, 2000))


def byte_count(size: int) -> str:
    return (
        f"{size:,} bytes"
        if size < 10_000
        else f"{size / 1000:,.0f} kB"
        if size < 10**7
        else f"{size / 10**6:,.1f} MB"
    )
