"""Watches a few files for changes without polling: the kernel reports them (inotify, on Linux).

Where it cannot, `at_once` is False and the caller has to poll. A report only says that something may have changed; the
caller finds out what.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

_LINKS = 40  # that the kernel follows
_BATCH = 1 << 16  # bytes of events read at once
_PASSES = 3  # then someone writes without a pause: the next poll wakes for it

# A folder reports which names come, go and are replaced; the file itself, what is written. A log that grows beside the
# file therefore wakes no one.
_NAMES = 0x40 | 0x80 | 0x100 | 0x200 | 0x400 | 0x800 | 0x01000000  # MOVED_*, CREATE, DELETE, *_SELF; ONLYDIR
_CONTENT = 0x2 | 0x4 | 0x8 | 0x400 | 0x800  # MODIFY, ATTRIB, CLOSE_WRITE, DELETE_SELF, MOVE_SELF


class FileWatch:
    """Of files by their paths: also of one that does not exist yet, that is replaced, or that a link leads to."""

    def __init__(self, *files: Path, more: Callable[[], Iterable[Path]] = tuple) -> None:
        """`more`: files that come and go, asked for whenever something has changed."""
        self._files = files
        self._more = more
        self._watches: set[int] = set()
        self._libc: Any = _libc()
        self._fd = int(self._libc.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK)) if self._libc else -1
        self.at_once = self._fd >= 0 and self._watch()

    def __enter__(self) -> FileWatch:
        return self

    def __exit__(self, *_: object) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd, self.at_once = -1, False

    def reads(self) -> list[int]:
        """What becomes readable when something happens, for a poll: as far as it can be watched."""
        return [self._fd] if self._fd >= 0 else []

    def heed(self) -> None:
        """Forget what was reported until now: who looks at the files after this misses nothing, and is woken by what comes
        later only."""
        if self._fd < 0:
            return
        # A file may have been replaced by another, a folder may be back. What is not watched any more says so, once.
        for again in range(_PASSES):
            if not self._told() and (again or self.at_once):
                return
            self.at_once = self._watch()

    def _told(self) -> bool:
        told = False
        try:
            while os.read(self._fd, _BATCH):
                told = True
        except BlockingIOError:
            pass
        return told

    def _watch(self) -> bool:
        """Watch what is at the paths now, and nothing else. False: some of it cannot be watched."""
        found: set[int] = set()
        whole = True
        for path in {step for file in (*self._files, *self._more()) for step in _steps(file)}:
            folder, content = self._add(path.parent, _NAMES), self._add(path, _CONTENT)
            found |= {folder, content} - {-1}
            # A file that is not there, or not ours to read, is reported by its folder when that changes.
            whole = whole and folder >= 0 and (content >= 0 or not os.access(path, os.R_OK))
        for old in self._watches - found:
            self._libc.inotify_rm_watch(self._fd, old)
        self._watches = found
        return whole

    def _add(self, path: Path, what: int) -> int:
        return int(self._libc.inotify_add_watch(self._fd, os.fsencode(path), what))


def _steps(path: Path) -> Iterator[Path]:
    """The path itself and, where it is a link, each place that it leads through."""
    for _ in range(_LINKS):
        yield path
        try:
            path = path.parent / path.readlink()
        except OSError:
            return


def _libc() -> ctypes.CDLL | None:
    if not sys.platform.startswith("linux"):
        return None
    libc = ctypes.CDLL(None, use_errno=True)
    return libc if hasattr(libc, "inotify_init1") else None
