"""Words of agents, gates and prompts, made fit to be shown. Nothing is hidden: what would act or deceive becomes visible.
What is special in HTML is escaped by its templates."""

from __future__ import annotations

import re

from msgspec.structs import replace

from ralph.core.failures.excerpt import ESCAPES
from ralph.terminal.transcript import AgentTranscript, Row
from ralph.text import single_spaced

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
    shown = single_spaced(visible(text[: 4 * most]))
    return shown if len(shown) <= most and len(text) <= 4 * most else shown[: most - 1] + "…"


# Escaped by a backslash, and no more of it than must be: a bracket where it could make a link, a hash where it could
# make a heading or end one, an underscore at the edge of a word, where it would mean emphasis.
_ACTIVE = re.compile(r"[\\`*|~]|^\[|\](?=[(\[:])|^#|(?<=\s)#(?=#*$)|(?<![0-9A-Za-z])_|_(?![0-9A-Za-z])")
_MARKUP = {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;"}


def markdown(text: str) -> str:
    """As one piece of plain Markdown: it makes no markup, no HTML, no cell and no line of its own."""
    line = visible(text).replace("\n", " ")
    return _ACTIVE.sub(lambda found: "\\" + found[0], line).translate(_MARKUP)


def commands(text: str) -> list[str]:
    """Advice, in which names from outside may stand: every second part of it is a command."""
    return re.split(r"`([^`]+)`", one_line(text, 2000))


OUTPUT_MOST = 4000  # characters of what one tool gave


def told(text: str) -> list[Row]:
    """What an agent printed, as a conversation. Of a long result, its beginning and its end."""
    transcript = AgentTranscript()
    found = [row for line in text.removesuffix("\n").split("\n") for row in transcript.feed(line)]
    rows: list[Row] = []
    for row in (*found, *transcript.end()):
        before = rows[-1] if rows else None
        if before and row.kind == before.kind == "text" and not row.at:  # lines of plain text
            rows[-1:] = [replace(before, text=f"{before.text}\n{row.text}")]
        else:
            rows.append(replace(row, output=_ends(row.output)))
    return rows


def _ends(output: str) -> str:
    more, half = len(output) - OUTPUT_MOST, OUTPUT_MOST // 2
    return f"{output[:half]}\n[... {more:,} characters cut ...]\n{output[-half:]}" if more > 0 else output


def patch_lines(patch: str) -> list[tuple[str, str]]:
    """Each line of a change, with the element that marks it; the names of files are not taken for changed lines."""
    tags = {"+": "ins", "-": "del", "@": "b"}
    return [
        ("b" if line.startswith(("+++ ", "--- ", "diff --git ")) else tags.get(line[:1], ""), line)
        for line in patch.split("\n")
    ]
