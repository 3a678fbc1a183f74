"""Words of agents, gates and prompts, made fit to be shown. Nothing is hidden: what would act or deceive becomes visible."""

from __future__ import annotations

import re

from ralph.core.excerpt import ESCAPES

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
