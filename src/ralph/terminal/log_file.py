"""`ralph.log` in the working folder: the lines that a run shows, with their dates. A view; it never ends a run.

The agent may remove, replace or forge the file, so it is opened anew each time, and only a plain file is written to.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

NAME = "ralph.log"
OLD = "ralph.log.1"
ROTATE_AT = 5_000_000
_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class LogFile:
    """Nothing is touched before the first line: a run that is refused leaves no file."""

    def __init__(self, folder: Path, rotate_at: int = ROTATE_AT) -> None:
        self._path = folder / NAME
        self._rotate_at = rotate_at
        self._begun = False
        self._complained = False

    def write(self, lines: Sequence[str], when: datetime) -> str:
        """Append; the first time that this fails, what to tell the user about it."""
        if not lines:
            return ""
        text = "".join(f"{when:%Y-%m-%d %H:%M:%S}  {line}".rstrip() + "\n" for line in lines)
        try:
            if not self._begun:
                self._begun = True
                self._rotate()
            self._append(text.encode("utf-8", "backslashreplace"))
        except OSError as error:
            said, self._complained = self._complained, True
            return "" if said else f"{NAME} cannot be written: {error.strerror}; the run continues without it"
        return ""

    def _append(self, data: bytes) -> None:
        fd = os.open(self._path, _FLAGS, 0o644)
        try:
            found = os.fstat(fd)
            if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:
                raise OSError(0, "it is not a plain file")
            os.write(fd, data)
        finally:
            os.close(fd)

    def _rotate(self) -> None:
        try:
            found = self._path.lstat()
            if stat.S_ISREG(found.st_mode) and found.st_size > self._rotate_at:
                self._path.replace(self._path.with_name(OLD))
        except OSError:
            pass  # then it goes on growing
