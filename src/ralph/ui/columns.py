"""Text in columns of a terminal: how wide it is, cut so that it never wraps, and in few styles. Pure."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal, NamedTuple

Style = Literal["", "bold", "dim", "green", "red", "yellow"]
CODES: dict[Style, str] = {"": "", "bold": "1", "dim": "2", "green": "32", "red": "31", "yellow": "33"}
ELLIPSIS = "…"


class Span(NamedTuple):
    text: str
    style: Style = ""


@lru_cache(4096)
def _columns(character: str) -> int:
    if (
        character == "\ufe0f"
    ):  # asks for the wide form of the character before it: rather too wide than wrapped
        return 1
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def width_of(text: str) -> int:
    return len(text) if text.isascii() else sum(map(_columns, text))


def cut(text: str, width: int) -> str:
    """At most `width` columns; what does not fit gives way to an ellipsis."""
    if width_of(text) <= width:
        return text
    if width <= 0:
        return ""
    kept, room = "", width - 1
    for character in text:
        room -= _columns(character)
        if room < 0:
            break
        kept += character
    return kept.rstrip() + ELLIPSIS


def pad(text: str, width: int) -> str:
    return cut(text, width) + " " * (width - width_of(cut(text, width)))


def draw(spans: Iterable[Span], width: int, colour: bool) -> str:
    """The spans as one line of at most `width` columns, without spaces at its end."""
    shown, room = [], width
    for text, style in _without_end_spaces(spans):
        fitting = cut(text, room)
        shown.append(styled(Span(fitting, style), colour))
        room -= width_of(fitting)
        if fitting != text:
            break
    return "".join(shown)


def _without_end_spaces(spans: Iterable[Span]) -> list[Span]:
    left = [Span(span.text.expandtabs(4), span.style) for span in spans]
    while left and not left[-1].text.strip():
        left.pop()
    return [*left[:-1], Span(left[-1].text.rstrip(), left[-1].style)] if left else []


def styled(span: Span, colour: bool) -> str:
    return (
        f"\x1b[{CODES[span.style]}m{span.text}\x1b[0m" if colour and span.style and span.text else span.text
    )
