"""The interface of a backlog, wherever its tasks are kept. Adding a source is one class with these members.

The run never asks where tasks are: it reads them, reports what became of them, and looks again every second.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from ralph.backlog.changes import Applied, Change
from ralph.core.tasks.graph import TaskGraph
from ralph.core.tasks.task import TaskProblem


class Backlog(Protocol):
    @property
    def name(self) -> str:
        """What people and the journal call it: a file, an address."""
        ...

    @property
    def tasks(self) -> TaskGraph:
        """Every task, also the completed ones, with what was noted and is not yet written."""
        ...

    def refresh(self) -> bool:
        """Take up what others have changed; True when something had. Called every second: cheap when nothing has."""
        ...

    def note(self, *changes: Change) -> None:
        """Known from now on, kept for good after the next `apply`. RalphError: one of them cannot be."""
        ...

    def apply(self, changes: Iterable[Change] = ()) -> Applied:
        """Keep what was noted, and these. What contradicts a person's change is not made and is reported. The same change may
        come twice: a run that died is caught up with by the next."""
        ...

    def copy_in(self, top: str) -> str:
        """The file of a checkout at `top`, relative to it, in which agents find the list and may edit it. Empty: there is none,
        and agents propose tasks by their tools only."""
        ...

    def texts(self) -> tuple[bytes, bytes]:
        """The list and its archive for that copy, with what was noted and is not yet written. Not called where there is none."""
        ...

    def problems(self) -> list[TaskProblem]:
        """What in it can never be worked on as it is."""
        ...
