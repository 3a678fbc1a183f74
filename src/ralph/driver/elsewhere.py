"""Which tasks of the archive landed on a branch and are not on their target yet. Asks git only when there are such tasks."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable

import msgspec

from ralph.core.tasks import BacklogTask
from ralph.workspace import Repo
from ralph.workspace.landing import is_taken_over, tip

HEADS = "refs/heads/"
_COMMIT = re.compile("[0-9a-f]{7,64}")  # the archive may be edited by hand


class Apart(msgspec.Struct, frozen=True):
    """A task that is complete, with its work on a branch only."""

    task: str
    branch: str
    target: str
    gone: bool  # the branch is not there any more

    @property
    def where(self) -> str:
        return f"on branch {self.branch}, not on {self.target}"

    @property
    def todo(self) -> str:
        if self.gone:
            return f"that branch is gone: `ralph task reopen {self.task}` has it made again"
        return f"look at it, then `git merge {shlex.quote(self.branch)}` on {self.target}"


class Elsewhere:
    def __init__(self, home: Repo, target: str = "") -> None:
        """`target`: everything has to be on this one. Without, only what could not land is asked about, each for its own."""
        self._home = home
        self._target = target.removeprefix(HEADS)
        self._known: dict[tuple[str, str], bool] = {}  # the tip of a target, a commit -> whether it is there

    def may_be(self, task: BacklogTask) -> bool:
        wanted = task.target or (self._target and task.branch)
        return bool(wanted and task.status == "complete" and _COMMIT.fullmatch(task.commit))

    def among(self, tasks: Iterable[BacklogTask]) -> list[Apart]:
        found, tips = [], dict[str, str]()
        for task in tasks:
            if not self.may_be(task):
                continue
            target = self._target or task.target
            at = tips[target] if target in tips else tips.setdefault(target, tip(self._home, HEADS + target))
            if not self._is_there(at, task.commit):
                gone = not tip(self._home, HEADS + task.branch)
                found.append(Apart(task.id, task.branch, target, gone))
        return found

    def is_on(self, target: str, commit: str) -> bool:
        return self._is_there(tip(self._home, HEADS + target), commit)

    def _is_there(self, at: str, commit: str) -> bool:
        key = (at, commit)
        if key not in self._known:
            self._known[key] = is_taken_over(self._home, at, commit)
        return self._known[key]
