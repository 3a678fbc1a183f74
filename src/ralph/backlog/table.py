"""One of the two files of a JSONL backlog: its lines exactly as they are, and the tasks that they say."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from ralph.backlog.file import Stamp, holds, is_old, look, read
from ralph.core.tasks import BacklogTask, Problem, ProblemKind, read_line

BOM = b"\xef\xbb\xbf"


class Fault(msgspec.Struct, frozen=True):
    """A line that says no task, or one that is there already."""

    index: int
    what: str
    id: str = ""
    kind: ProblemKind = "line"


class Table:
    """A removed line leaves b"" in its place, so that the other lines keep theirs."""

    def __init__(self, path: Path, *, archived: bool) -> None:
        self.path = path
        self._archived = archived
        self.lines: list[bytes] = []
        self.at: dict[str, int] = {}
        self.tasks: dict[str, BacklogTask] = {}
        self.faults: list[Fault] = []
        self.stamp: Stamp | None = None
        self._young = False  # written a moment ago: another write may not show in its time
        self.load()

    def load(self) -> None:
        data, self.stamp = read(self.path)
        self._young = False
        self.fill([line + b"\n" for line in data.split(b"\n")])
        if self.lines:
            self.lines[-1] = self.lines[-1][:-1]
            if not self.lines[-1]:
                self.lines.pop()

    def fill(self, lines: list[bytes]) -> None:
        self.lines, self.at, self.tasks, self.faults = lines, {}, {}, []
        for index, raw in enumerate(lines):
            self._take(index, raw)

    def _take(self, index: int, raw: bytes) -> BacklogTask | None:
        plain = raw.strip() if index else raw.removeprefix(BOM).strip()
        if not plain:
            return None
        try:
            task = read_line(plain, index, archived=self._archived)
        except ValueError as error:
            self.faults.append(Fault(index, str(error)))
            return None
        if task.id in self.at and not self._archived:
            first = self.number(self.at[task.id])
            self.faults.append(
                Fault(index, f"{task.id}: there is a task of this id on line {first}", task.id, "duplicate")
            )
            return None
        self.at[task.id] = index  # of the archive, the last counts
        self.tasks[task.id] = task
        return task

    def is_stale(self) -> bool:
        if look(self.path) != self.stamp:
            return True
        if self._young and self.stamp and is_old(self.stamp):
            self._young = False
            return not holds(self.path, self.text())
        return False

    def text(self) -> bytes:
        return b"".join(self.lines)

    def number(self, index: int) -> int:
        """Of the line, as an editor counts."""
        return 1 + sum(1 for line in self.lines[:index] if line)

    def raw(self, id: str) -> bytes:
        return self.lines[self.at[id]]

    def eol(self) -> bytes:
        first = next((line for line in self.lines if line), b"")
        return b"\r\n" if first.endswith(b"\r\n") else b"\n"

    def written(self, stamp: Stamp | None) -> None:
        self.stamp, self._young = stamp, True

    def took(self, lines: Iterable[bytes]) -> list[BacklogTask]:
        """Lines that were added at the end of the file, which ended with a line's end."""
        found = []
        for raw in lines:
            self.lines.append(raw)
            if task := self._take(len(self.lines) - 1, raw):
                found.append(task)
        return found

    def problems(self) -> list[Problem]:
        numbers = self._numbers()
        return [
            Problem(fault.what, self.path.name, numbers[fault.index], fault.id, fault.kind)
            for fault in self.faults
        ]

    def _numbers(self) -> list[int]:
        found, n = [], 0
        for line in self.lines:
            n += bool(line)
            found.append(n)
        return found
