"""Where tasks come from. The run and the commands know a backlog only by this interface."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from ralph.backlog.changes import (
    Added,
    Applied,
    Blocked,
    Cancelled,
    Change,
    Claimed,
    Completed,
    Conflict,
    Edited,
    Failed,
    Reopened,
    Split,
)
from ralph.backlog.jsonl import NAME, JsonlBacklog, Mark, done_name
from ralph.backlog.proposals import Proposals, proposals
from ralph.core.tasks import BacklogTask, Problem, Status


class Backlog(Protocol):
    path: Path
    done_path: Path  # what is complete

    def files(self) -> list[Path]: ...
    def problems(self) -> list[Problem]: ...
    def refresh(self) -> bool: ...
    def mark(self) -> Mark: ...
    def changed_since(self, mark: Mark) -> bool: ...
    def all(self) -> list[BacklogTask]: ...
    def get(self, id: str) -> BacklogTask | None: ...
    def status(self, id: str) -> Status: ...
    def ready(self, most: int | None = None) -> list[BacklogTask]: ...
    def note(self, *changes: Change) -> None: ...
    def apply(self, changes: Iterable[Change] = ()) -> Applied: ...


__all__ = [
    "NAME",
    "Added",
    "Applied",
    "Backlog",
    "Blocked",
    "Cancelled",
    "Change",
    "Claimed",
    "Completed",
    "Conflict",
    "Edited",
    "Failed",
    "JsonlBacklog",
    "Proposals",
    "Reopened",
    "Split",
    "done_name",
    "proposals",
]
