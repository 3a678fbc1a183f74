"""A backlog in memory, written as someone outside Ralph would write a source, and a run over it.

`python memory_backlog.py FOLDER` works through it with the configuration there, and prints what it holds in the end. The
task `late` is added by a thread once the run has nothing left to do.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Iterable
from pathlib import Path

from msgspec.structs import replace

from ralph.backlog.changes import (
    Added,
    Applied,
    Blocked,
    Cancelled,
    Change,
    Claimed,
    Completed,
    Edited,
    Failed,
    Reopened,
    Split,
)
from ralph.cli.run.backlog import drive
from ralph.config.load import load
from ralph.config.settings import Overrides
from ralph.core.tasks.graph import TaskGraph
from ralph.core.tasks.task import BacklogTask, TaskProblem, read_fields
from ralph.git.refs import target
from ralph.git.repo import find
from ralph.journal.read import NAME as JOURNAL
from ralph.runner.run_request import RunRequest


class MemoryBacklog:
    def __init__(self, *tasks: BacklogTask) -> None:
        self.name = "memory"
        self.tasks = TaskGraph(tasks)
        self.written: list[Change] = []
        self._noted: list[Change] = []
        self._handed_in: list[BacklogTask] = []

    def hand_in(self, task: BacklogTask) -> None:
        """By somebody else than the run."""
        self._handed_in.append(task)

    def refresh(self) -> bool:
        found, self._handed_in = self._handed_in, []
        for task in found:
            self._put(task)
        return bool(found)

    def note(self, *changes: Change) -> None:
        for change in changes:
            self._noted.append(change)
            self._take(change)

    def apply(self, changes: Iterable[Change] = ()) -> Applied:
        self.note(*changes)
        self.written += self._noted
        self._noted = []
        return Applied()

    def copy_in(self, top: str) -> str:
        return ""

    def texts(self) -> tuple[bytes, bytes]:
        return b"", b""

    def problems(self) -> list[TaskProblem]:
        return self.tasks.problems()

    def _take(self, change: Change) -> None:
        match change:
            case Claimed(id):
                self._set(id, status="in_progress")
            case Completed(id, commit, verified):
                self._set(id, status="complete", commit=commit, verified=verified, archived=True)
            case Failed(id, reason):
                self._set(id, status="failed", reason=reason)
            case Blocked(id, reason):
                self._set(id, status="blocked", reason=reason)
            case Cancelled(id, reason):
                self._set(id, status="cancelled", reason=reason)
            case Reopened(id):
                self._set(id, status="pending", reason="")
            case Added(fields):
                self._put(read_fields(fields, len(self.tasks)))
            case Edited() | Split():
                raise AssertionError("these are for commands")

    def _set(self, id: str, **fields: object) -> None:
        task = self.tasks.get(id)
        assert task is not None
        self._put(replace(task, **fields))

    def _put(self, task: BacklogTask) -> None:
        self.tasks = TaskGraph([*(one for one in self.tasks if one.id != task.id), task])


def main(folder: Path) -> int:
    repo = find(folder)
    assert repo is not None
    resolved = load(folder, None, Overrides(backlog="--watch"))
    policy = replace(
        resolved.policy, land=replace(resolved.policy.land, target=target(repo, resolved.policy.land.target))
    )
    backlog = MemoryBacklog(
        BacklogTask("A", "the first part", leaf=True, order=0),
        BacklogTask("B", "the second part", leaf=True, order=1, depends_on=("A",)),
        BacklogTask("bad", "what cannot be done", leaf=True, order=2),
    )

    def over(count: int) -> None:
        """Wait for this many loops to be over."""
        journal, deadline = repo.state_dir / JOURNAL, time.monotonic() + 100
        while time.monotonic() < deadline:
            lines = journal.read_text().splitlines() if journal.exists() else []
            if sum('"kind":"loop.ended"' in line for line in lines) >= count:
                return
            time.sleep(0.05)

    def later() -> None:
        over(3)
        backlog.hand_in(BacklogTask("late", "what came later", leaf=True, order=3))
        over(4)
        (folder / ".stop").touch()

    threading.Thread(target=later, daemon=True).start()
    request = RunRequest(folder, repo, policy, replace(resolved.work, watch=True))
    code = drive(request, backlog, {"verbose": False, "no_tui": True, "as_json": False})
    tasks = {task.id: {"status": task.status, "commit": task.commit} for task in backlog.tasks}
    said = [
        f"{type(change).__name__} {change.id}"
        for change in backlog.written
        if not isinstance(change, Added | Split)
    ]
    print(json.dumps({"code": code, "tasks": tasks, "written": said}))
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
