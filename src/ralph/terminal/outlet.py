"""What a run prints, for a reader that may stop reading: `ralph run | less`, a terminal stopped with Ctrl-S, a dead ssh.

The runner only puts lines into a bounded buffer and never waits; a thread writes them and may hang there forever. What
does not fit is counted and said where it is missing. A reader that is gone is no error: the journal has everything.
"""

from __future__ import annotations

import atexit
import io
import os
import sys
import threading
import time
from typing import IO, Any

MOST_BYTES = 1 << 20  # that wait for the reader
PATIENCE = 2.0  # seconds, at the end of the program, for a reader that takes nothing
_AT_ALL = 10.0  # seconds, at the end of the program, for a slow one


def left_out(lines: int) -> str:
    return f"{lines:,} lines left out here: no one read them in time; `ralph logs` has them"


class Outlet(io.RawIOBase):
    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._waiting: list[bytes] = []
        self._size = 0
        self._writing = 0  # bytes that the thread has in its hands
        self._left_out = 0
        self._gone = False
        self._news = threading.Condition()
        self._thread: threading.Thread | None = None

    @property
    def has_room(self) -> bool:
        return self._size < MOST_BYTES

    def write(self, data: Any) -> int:
        part = bytes(data)
        with self._news:
            if self._gone:
                return len(part)
            if not self.has_room:
                self._left_out += part.count(b"\n")
                return len(part)
            self._note_left_out()
            self._waiting.append(part)
            self._size += len(part)
            if self._thread is None:  # daemon: nothing waits for it at the end
                self._thread = threading.Thread(target=self._work, name=f"outlet-{self._fd}", daemon=True)
                self._thread.start()
            self._news.notify_all()
        return len(part)

    def drain(self) -> None:
        """Give the reader the rest, for a bounded time."""
        end = time.monotonic() + _AT_ALL
        with self._news:
            while (left := self._size + self._writing) and not self._gone and time.monotonic() < end:
                self._news.wait(min(PATIENCE, end - time.monotonic()))
                if self._size + self._writing >= left:
                    return

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._fd

    def isatty(self) -> bool:
        return os.isatty(self._fd)

    def _note_left_out(self) -> None:
        if self._left_out:
            note = f"{left_out(self._left_out)}\n".encode()
            self._waiting.append(note)
            self._size += len(note)
            self._left_out = 0

    def _work(self) -> None:
        while True:
            with self._news:
                self._news.wait_for(lambda: self._size)
                self._note_left_out()
                data = b"".join(self._waiting)
                self._waiting, self._size, self._writing = [], 0, len(data)
            while data and not self._gone:
                data = self._put(data)

    def _put(self, data: bytes) -> bytes:
        """Write some of it; what is left."""
        try:
            taken = os.write(self._fd, data[: 1 << 16])
        except BlockingIOError:  # someone else has set the descriptor so
            time.sleep(0.05)
            return data
        except OSError:
            self._gone, taken = True, len(data)
        with self._news:
            self._writing -= taken
            self._news.notify_all()
        return data[taken:]


def install() -> None:
    """From here on nothing that this process prints waits for its reader."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is not getattr(sys, f"__{name}__") or stream is None:
            continue  # someone else collects it
        stream.flush()
        outlet = Outlet(stream.fileno())
        mended = io.TextIOWrapper(
            outlet,  # type: ignore[type-var]
            encoding=stream.encoding,
            errors=stream.errors,
            write_through=True,
        )
        setattr(sys, name, mended)
        atexit.register(outlet.drain)


def has_room(stream: IO[str]) -> bool:
    """Whether the next line would be taken."""
    outlet = getattr(stream, "buffer", None)
    return outlet.has_room if isinstance(outlet, Outlet) else True
