"""The part of an output that a person or an agent is shown: verbatim, bounded, and safe to print.

Nothing here summarises. Escape sequences, overwritten progress lines and control characters go; words stay.
"""

from __future__ import annotations

import re

FIRST_WINDOW = 64 * 1024  # of an output too big to load, what is read from its start ...
LAST_WINDOW = 256 * 1024  # ... and from its end
FIRST_LINES, LAST_LINES = 1_000, 4_000  # of these windows, what is searched for failures
MAX_LINE = 2_000
MAX_CHARS = 24_000

ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # colours, cursor, erase
    r"|\x1b[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)"  # titles, links, device strings
    r"|\x1b[ -/]*[0-~]"
    r"|\x9b[0-?]*[ -/]*[@-~]"
)
_UNPRINTABLE = {
    **dict.fromkeys((*range(0x20), *range(0x7F, 0xA0))),
    **dict.fromkeys(
        (*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0xFEFF)
    ),  # make text look other than it is
    **dict.fromkeys(range(0xD800, 0xE000), "\ufffd"),  # lone surrogates cannot be written to a file
    0x09: "\t",
    0x0A: "\n",
}
_MARKER_ROOM = 60
_MARKER = re.compile(r"\[\.\.\. \d+ lines truncated \.\.\.\]")


def plain_lines(text: str) -> list[str]:
    """The lines as a terminal would leave them, without empty ones at the end."""
    text = text.replace("\r\n", "\n")
    if "\x1b" in text or "\x9b" in text:
        text = ESCAPES.sub("", text)
    lines = text.split("\n")
    if "\r" in text:
        lines = [_overwritten(line) if "\r" in line else line for line in lines]
    lines = "\n".join(lines).translate(_UNPRINTABLE).split("\n")
    while lines and not lines[-1]:
        lines.pop()
    return lines


def excerpt(output: str, head: int = 30, tail: int = 70) -> str:
    """The first `head` and the last `tail` lines, with a marker that counts what lies between."""
    if len(output) > FIRST_WINDOW + LAST_WINDOW:
        first, last = output[:FIRST_WINDOW], output[-LAST_WINDOW:]
        return _excerpt_windows(first, last, _count_lines(output), head, tail)
    lines = plain_lines(output)
    if len(lines) == head + tail + 1 and _MARKER.fullmatch(lines[head]):
        return _join(lines, 0, [])  # already an excerpt
    if len(lines) <= head + tail:
        return _join(lines, 0, [])
    return _join(lines[:head], len(lines) - head - tail, lines[-tail:] if tail else [])


def excerpt_windows(first: bytes, last: bytes, total_lines: int, head: int = 30, tail: int = 70) -> str:
    """The excerpt of a file too big to load: its first and last bytes, which must not overlap."""
    return _excerpt_windows(_text(first), _text(last), total_lines, head, tail)


def windows_text(first: bytes, last: bytes) -> str:
    """What is known of such a file as one text of whole lines, to be hashed or searched for gaps."""
    return "\n".join(_first_lines(_text(first)) + _last_lines(_text(last)))


def bounded_lines(output: str) -> list[str]:
    """Plain lines of bounded number and length: what costs time must not grow with the output."""
    if len(output) > FIRST_WINDOW + LAST_WINDOW:
        lines = _first_lines(output[:FIRST_WINDOW]) + _last_lines(output[-LAST_WINDOW:])
    else:
        lines = plain_lines(output)
    if len(lines) > FIRST_LINES + LAST_LINES:
        lines = lines[:FIRST_LINES] + lines[-LAST_LINES:]
    return [line if len(line) <= MAX_LINE else line[:MAX_LINE] for line in lines]


def _excerpt_windows(first: str, last: str, total_lines: int, head: int, tail: int) -> str:
    top = _first_lines(first)[:head]
    bottom = _last_lines(last)[-tail:] if tail else []
    return _join(top, max(0, total_lines - len(top) - len(bottom)), bottom)


def _first_lines(window: str) -> list[str]:
    """Without the line that the window's end cut, unless there is no other."""
    return plain_lines(window.rpartition("\n")[0] or window)


def _last_lines(window: str) -> list[str]:
    return plain_lines(window.partition("\n")[2] or window)


def _join(top: list[str], left_out: int, bottom: list[str]) -> str:
    """Holds MAX_CHARS by leaving out more of the middle, in the proportion of head to tail."""
    top, bottom = [_cut(line) for line in top], [_cut(line) for line in bottom]
    if sum(map(len, top)) + sum(map(len, bottom)) + len(top) + len(bottom) > MAX_CHARS:
        lines = top + bottom
        kept_top = _fitting(lines[: len(top) if bottom else None], (MAX_CHARS - _MARKER_ROOM) * 3 // 10)
        kept_bottom = _fitting(lines[kept_top:][::-1], (MAX_CHARS - _MARKER_ROOM) * 7 // 10)
        left_out += len(lines) - kept_top - kept_bottom
        top, bottom = lines[:kept_top], lines[len(lines) - kept_bottom :]
    marker = [f"[... {left_out} lines truncated ...]"] if left_out else []
    return "\n".join(top + marker + bottom)


def _fitting(lines: list[str], budget: int) -> int:
    for n, line in enumerate(lines):
        budget -= len(line) + 1
        if budget < 0:
            return n
    return len(lines)


def _cut(line: str) -> str:
    if len(line) <= MAX_LINE:
        return line
    kept = MAX_LINE - _MARKER_ROOM
    return f"{line[:kept]} [... {len(line) - kept} characters truncated ...]"


def _overwritten(line: str) -> str:
    """What stands after the last carriage return: each one lets the next text overwrite the line."""
    return next((part for part in reversed(line.split("\r")) if part), "")


def _count_lines(text: str) -> int:
    return text.count("\n") + (not text.endswith("\n"))


def _text(window: bytes) -> str:
    return window.decode("utf-8", "replace")
