"""Outputs of any size to a terminal or pipe: in parts, so that none fills the memory, and harmless unless asked raw."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import BinaryIO

import click

from ralph.core.excerpt import ESCAPES
from ralph.ui.terminal import LONGEST, one_line

CHUNK = 1 << 16


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


def lines(pieces: Iterable[bytes]) -> Iterator[str]:
    """Harmless lines, each without its newline."""
    splitter = Splitter()
    for piece in pieces:
        yield from splitter.feed(piece)
    yield from splitter.rest()


class Splitter:
    """Bytes in, harmless lines out. A line longer than a part is broken, so that it cannot fill the memory."""

    def __init__(self) -> None:
        self._begun = b""

    def feed(self, piece: bytes) -> list[str]:
        *ended, self._begun = (self._begun + piece).split(b"\n")
        if len(self._begun) > CHUNK:
            ended, self._begun = [*ended, self._begun], b""
        return [harmless(line) for line in ended]

    def rest(self) -> list[str]:
        begun, self._begun = self._begun, b""
        return [harmless(begun)] if begun else []


def harmless(line: bytes) -> str:
    """Without colours; whatever else could control a terminal becomes a mark. Nothing is cut."""
    text = line.decode("utf-8", "replace").rstrip("\r")
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
