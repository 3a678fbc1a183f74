"""Outputs of any size to a terminal or pipe: in parts, so that none fills the memory, and harmless unless asked raw."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, BinaryIO

import click

from ralph.core.failures.excerpt import ESCAPES
from ralph.terminal.activity import LONGEST_READ
from ralph.terminal.screen import TextSpan, styled
from ralph.terminal.transcript import AgentTranscript, Row
from ralph.terminal.transcript import lines as row_lines
from ralph.terminal.words import LONGEST, one_line

if TYPE_CHECKING:
    from ralph.cli.show.operation_words import Operation


CHUNK = 1 << 16


class Printed:
    """How lines are shown: as they are, made harmless."""

    longest = CHUNK  # a longer line is broken

    def line(self, line: bytes) -> list[str]:
        return [harmless(line.decode("utf-8", "replace"))]

    def end(self) -> list[str]:
        """Nothing follows."""
        return []

    def caught_up(self) -> None:
        """What was there already has been read: from here on lines are read as they come."""


class Told(Printed):
    """What an agent printed, as a conversation. `live`: it is read as it comes."""

    longest = LONGEST_READ

    def __init__(self, *, live: bool = False) -> None:
        self._transcript = AgentTranscript(live=live)
        self._timing = False  # a line comes now
        self._colour = in_colour()
        self._timed = False  # a row had a time

    def line(self, line: bytes) -> list[str]:
        now = time.time() if self._timing else 0.0
        return self._shown(self._transcript.feed(line.decode("utf-8", "replace"), now))

    def caught_up(self) -> None:
        self._timing = True

    def end(self) -> list[str]:
        return self._shown(self._transcript.end())

    def _shown(self, rows: Iterable[Row]) -> list[str]:
        found = []
        for row in rows:
            self._timed = self._timed or row.at > 0
            when = f"{datetime.fromtimestamp(row.at):%H:%M:%S}  " if row.at else " " * 10
            for number, spans in enumerate(row_lines(row)):
                stamp = (when if not number else " " * 10) if self._timed else ""
                safe = (TextSpan(harmless(text), style) for text, style in spans)
                shown = "".join(styled(span, self._colour) for span in safe)
                found.append(styled(TextSpan(stamp if shown else "", "dim"), self._colour) + shown)
        return found


def in_colour() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


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


def manner(one: Operation, *, live: bool = False) -> Printed:
    """Agents, reviewers among them, print what is read as a conversation; what a command prints is its own."""
    return Told(live=live) if one.started.prompt or not one.gate else Printed()


def lines(pieces: Iterable[bytes], show: Printed | None = None) -> Iterator[str]:
    """Harmless lines, each without its newline."""
    splitter = Splitter(show or Printed())
    for piece in pieces:
        yield from splitter.feed(piece)
    yield from splitter.rest()


class Splitter:
    """Bytes in, harmless lines out. A very long line is broken, so that it cannot fill the memory."""

    def __init__(self, show: Printed) -> None:
        self._begun: list[bytes] = []
        self._size = 0
        self._show = show

    def feed(self, piece: bytes) -> list[str]:
        first, *more = piece.split(b"\n")
        self._go_on(first)
        shown = []
        for part in more:
            shown += self._end()
            self._go_on(part)
        return shown + (self._end() if self._size > self._show.longest else [])

    def rest(self) -> list[str]:
        return [*(self._end() if self._size else []), *self._show.end()]

    def _go_on(self, part: bytes) -> None:
        self._begun.append(part)
        self._size += len(part)

    def _end(self) -> list[str]:
        line, self._begun, self._size = b"".join(self._begun), [], 0
        return self._show.line(line)


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
