"""How a worker reaches its server. HTTP is one way; tests have others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ralph.core.fleet.model import Repository
from ralph.core.fleet.requests import UnmergedTask, WorkerAnswer, WorkerRequest
from ralph.core.fleet.worker import CallFailure


class Unreachable(Exception):
    """No answer to something that is only read: it is asked again later."""


class Transport(Protocol):
    """Called from several threads at once. No call waits forever: without an answer it fails."""

    def send(self, request: WorkerRequest) -> WorkerAnswer | CallFailure:
        """A claim may be held back by the server until there is something to do; everything else is answered at once."""
        ...

    def blob(self, hash: str) -> bytes | None:
        """Content that a fact or a savepoint names; None: the server does not have it. Raises Unreachable."""
        ...

    def repository(self, name: str) -> Repository | None:
        """As it is registered. Raises Unreachable."""
        ...

    def unmerged(self) -> Sequence[UnmergedTask]:
        """The tasks whose pull requests landers look after. Raises Unreachable."""
        ...

    def report_merged(self, task: UnmergedTask) -> None:
        """Raises Unreachable: it is seen, and said, again."""
        ...

    def hurry(self) -> None:
        """The worker is to end: a claim that waits at the server fails now, and none waits any more."""
        ...
