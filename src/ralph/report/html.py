"""Words of agents, gates and prompts, made fit to be shown. Nothing is hidden: what would act or deceive becomes visible."""

from __future__ import annotations

import re
from html import escape

from ralph.core.failures.excerpt import ESCAPES
from ralph.terminal.activity import readable

# Control characters, invisible and direction-changing ones, lone surrogates, and what is no character at all.
_DECEIVING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\ufffe\uffff\U000e0000-\U000e007f]"
)


def visible(text: str) -> str:
    """The same lines without terminal sequences; other unprintable characters are named or pictured."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")  # overwritten text was there all the same
    if "\x1b" in text or "\x9b" in text:
        text = ESCAPES.sub("", text)
    return _DECEIVING.sub(_picture, text)


def _picture(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    if code < 0xA0 or 0xD800 <= code < 0xE000 or code in (0xFFFE, 0xFFFF):
        return "\ufffd"
    return f"[U+{code:04X}]"


def one_line(text: str, most: int = 300) -> str:
    """On one line, and not longer than this."""
    shown = " ".join(visible(text[: 4 * most]).split())
    return shown if len(shown) <= most and len(text) <= 4 * most else shown[: most - 1] + "…"


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
