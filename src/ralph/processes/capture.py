"""Output of any size and any bytes in bounded memory: lines for the reader, head and tail on disk, the end in memory."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal, Protocol

import msgspec

LINE_LIMIT = 8 << 20
TAIL_LIMIT = 64 << 10
CHUNK = 64 << 10
_COPY = 1 << 20


class Line(msgspec.Struct, frozen=True, gc=False):
    """One line without its newline. What follows the limit of a cut line is dropped."""

    stream: Literal["out", "err"]
    text: str
    cut: bool = False


class LineSplitter:
    """Bytes in, lines out. Holds at most one unfinished line of LINE_LIMIT bytes."""

    def __init__(self, stream: Literal["out", "err"]) -> None:
        self._stream = stream
        self._begun = bytearray()
        self._skipping = False

    def feed(self, data: bytes) -> list[Line]:
        *ended, rest = data.split(b"\n")
        lines: list[Line] = []
        for part in ended:
            self._grow(part, lines)
            if not self._skipping:
                lines.append(self._take(cut=False))
            self._skipping = False
        self._grow(rest, lines)
        return lines

    def finish(self) -> list[Line]:
        """The last line, if the output does not end with a newline."""
        return [self._take(cut=False)] if self._begun else []

    def _grow(self, part: bytes, lines: list[Line]) -> None:
        if self._skipping:
            return
        room = LINE_LIMIT - len(self._begun)
        self._begun += part[:room]
        if len(part) > room:
            lines.append(self._take(cut=True))
            self._skipping = True

    def _take(self, *, cut: bool) -> Line:
        text = self._begun.decode("utf-8", "replace")
        self._begun = bytearray()
        return Line(self._stream, text, cut)


class Transcript:
    """A file that keeps the first and the last half of `cap` bytes and says how much is missing between them."""

    def __init__(self, path: Path, cap: int) -> None:
        self._head_size = cap // 2
        self._ring_size = cap - self._head_size
        self._path = path
        self._ring = -1
        self.size = 0
        self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)

    @property
    def cut(self) -> bool:
        return self.size > self._head_size + self._ring_size

    def write(self, data: bytes) -> None:
        view = memoryview(data)
        head = view[: max(0, self._head_size - self.size)]
        _write_all(self._fd, head)
        self.size += len(head)
        rest = view[len(head) :]
        self.size += max(0, len(rest) - self._ring_size)
        rest = rest[-self._ring_size :] if self._ring_size else rest[:0]
        while rest:
            at = (self.size - self._head_size) % self._ring_size
            part = rest[: self._ring_size - at]
            self._write_ring(part, at)
            self.size += len(part)
            rest = rest[len(part) :]

    def finish(self) -> None:
        """Puts the ring behind the head, oldest byte first."""
        after_head = self.size - self._head_size
        if after_head <= 0:
            return
        start = after_head % self._ring_size if self._ring_size else 0
        if self.cut:
            left_out = after_head - self._ring_size
            _write_all(self._fd, memoryview(b"\n[ralph: %d bytes left out]\n" % left_out))
            self._copy(start, self._ring_size)
        self._copy(0, start if self.cut else after_head)

    def close(self) -> None:
        for fd in (self._fd, self._ring):
            if fd >= 0:
                os.close(fd)
        self._fd = self._ring = -1

    def _write_ring(self, part: memoryview, at: int) -> None:
        if self._ring < 0:
            name = self._path.with_name(self._path.name + ".tail")
            self._ring = os.open(name, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
            name.unlink()  # it needs no name, and so can never be left behind
        while part:
            done = os.pwrite(self._ring, part, at)
            part, at = part[done:], at + done

    def _copy(self, start: int, end: int) -> None:
        while start < end and (part := os.pread(self._ring, min(_COPY, end - start), start)):
            _write_all(self._fd, memoryview(part))
            start += len(part)


def _write_all(fd: int, data: memoryview) -> None:
    while data:
        data = data[os.write(fd, data) :]


class Mask(Protocol):
    """Bytes in, bytes without secrets out; what may be the beginning of one is held back until more is known."""

    def feed(self, data: bytes, /) -> bytes: ...

    def finish(self) -> bytes: ...


class Stream:
    """One pipe of a process, read without blocking."""

    def __init__(
        self, name: Literal["out", "err"], fd: int, transcript: Transcript, mask: Mask | None = None
    ) -> None:
        self.fd = fd  # -1 after the end of file
        self.bytes = 0
        self.trouble: OSError | None = None  # what stopped the transcript; reading continues without it
        self._splitter = LineSplitter(name)
        self._transcript = transcript
        self._mask = mask
        self._tail = bytearray()
        os.set_blocking(fd, False)

    @property
    def cut(self) -> bool:
        return self._transcript.cut or self.trouble is not None

    def read(self, lines: list[Line]) -> bool:
        """Takes one chunk if one is ready; False if not."""
        if self.fd < 0:
            return False
        try:
            data = os.read(self.fd, CHUNK)
        except BlockingIOError:
            return False
        if not data:
            self._end(lines)
            return False
        self.bytes += len(data)
        self._keep(self._mask.feed(data) if self._mask else data, lines)
        return True

    def _keep(self, data: bytes, lines: list[Line]) -> None:
        self._tail += data
        if len(self._tail) > 2 * TAIL_LIMIT:
            del self._tail[:-TAIL_LIMIT]
        lines += self._splitter.feed(data)
        if self.trouble is None:
            try:
                self._transcript.write(data)
            except OSError as e:
                self.trouble = e

    def finish(self, lines: list[Line]) -> None:
        self._end(lines)
        try:
            if self.trouble is None:
                self._transcript.finish()
        except OSError as e:
            self.trouble = e
        self._transcript.close()

    def tail(self) -> str:
        return self._tail[-TAIL_LIMIT:].decode("utf-8", "replace")

    def _end(self, lines: list[Line]) -> None:
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1
            if self._mask:
                self._keep(self._mask.finish(), lines)
            lines += self._splitter.finish()
