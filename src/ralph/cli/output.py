"""Outputs of any size to a terminal or pipe: in parts, so that none fills the memory, and harmless unless asked raw."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, BinaryIO

import click

from ralph.core.failures.excerpt import ESCAPES
from ralph.terminal.activity import LONGEST_READ, readable
from ralph.terminal.words import LONGEST, one_line

if TYPE_CHECKING:
    from ralph.cli.show.operation_words import Operation


CHUNK = 1 << 16

Show = Callable[[bytes], list[str]]  # a line as it was printed -> the lines that are shown for it


def opened(path: str) -> BinaryIO | None:
    try:
        return open(path, "rb")
    except (FileNotFoundError, NotADirectoryError):
        return None


def parts(file: BinaryIO) -> Iterator[bytes]:
    with file:
        while part := file.read(CHUNK):
            yield part


def put(pieces: Iterable[bytes], raw: bool) -> None:
    if not raw:
        say(lines(pieces))
        return
    sys.stdout.flush()
    for piece in pieces:
        sys.stdout.buffer.write(piece)
    sys.stdout.buffer.flush()


def manner(one: Operation) -> Show:
    """Agents, reviewers among them, may print JSON that nobody wants to read; what a command prints is its own."""
    return as_told if one.started.prompt or not one.gate else as_printed


def as_printed(line: bytes) -> list[str]:
    return [harmless(line.decode("utf-8", "replace"))]


def as_told(line: bytes) -> list[str]:
    """What an agent's line tells people, where it is JSON of a known shape; else the line."""
    return [harmless(text) for text in readable(line.decode("utf-8", "replace"))]


def lines(pieces: Iterable[bytes], show: Show = as_printed) -> Iterator[str]:
    """Harmless lines, each without its newline."""
    splitter = Splitter(show)
    for piece in pieces:
        yield from splitter.feed(piece)
    yield from splitter.rest()


class Splitter:
    """Bytes in, harmless lines out. A very long line is broken, so that it cannot fill the memory."""

    def __init__(self, show: Show = as_printed) -> None:
        self._begun: list[bytes] = []
        self._size = 0
        self._show = show
        self._longest = CHUNK if show is as_printed else LONGEST_READ

    def feed(self, piece: bytes) -> list[str]:
        first, *more = piece.split(b"\n")
        self._go_on(first)
        shown = []
        for part in more:
            shown += self._end()
            self._go_on(part)
        return shown + (self._end() if self._size > self._longest else [])

    def rest(self) -> list[str]:
        return self._end() if self._size else []

    def _go_on(self, part: bytes) -> None:
        self._begun.append(part)
        self._size += len(part)

    def _end(self) -> list[str]:
        line, self._begun, self._size = b"".join(self._begun), [], 0
        return self._show(line)


def harmless(text: str) -> str:
    """Without colours; whatever else could control a terminal becomes a mark. Nothing is cut."""
    text = text.rstrip("\r")
    if text.isprintable():
        return text
    text = ESCAPES.sub("", text)
    return "".join(one_line(text[at : at + LONGEST]) for at in range(0, len(text), LONGEST))


def say(text: Iterable[str]) -> None:
    for line in text:
        sys.stdout.write(line + "\n")


def note(text: str) -> None:
    """Beside the output, so that a pipe gets the output alone."""
    sys.stdout.flush()
    click.echo(one_line(text), err=True)


def clock(at: str) -> str:
    """A moment of the journal in local time; with its date when that is not today."""
    try:
        when = datetime.fromisoformat(at).astimezone()
    except ValueError:
        return at
    return f"{when:%H:%M:%S}" if when.date() == datetime.now().date() else f"{when:%Y-%m-%d %H:%M}"


def seconds_since(at: str) -> float:
    try:
        return max(0.0, (datetime.now().astimezone() - datetime.fromisoformat(at)).total_seconds())
    except ValueError:
        return 0.0


def seconds_until(at: str) -> float:
    try:
        return max(0.0, (datetime.fromisoformat(at) - datetime.now().astimezone()).total_seconds())
    except ValueError:
        return 0.0


def cut(text: str, most: int) -> str:
    """On one line and not longer than this."""
    flat = " ".join(text[: 4 * most].split())
    return flat if len(flat) <= most else flat[: most - 1] + "…"
