"""Tasks that are complete and whose work is somewhere else than where the next ones begin: what rests on them waits."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterable, Iterator

import msgspec

from ralph.core.tasks.graph import TaskGraph
from ralph.core.tasks.task import BacklogTask
from ralph.git.refs import is_taken_over, tip
from ralph.git.repo import Repo


def ready(tasks: TaskGraph, most: int | None, apart: Iterable[str]) -> list[BacklogTask]:
    """As `TaskGraph.ready`, without those that need the work of tasks that are apart."""
    missing = _and_above(tasks, apart)
    if not missing:
        return tasks.ready(most)
    asked = most
    while True:
        found = tasks.ready(asked)
        free = [task for task in found if not _needs(tasks, task.id, missing)]
        if asked is None or most is None or len(free) >= most or len(found) < asked:
            return free[:most]
        asked *= 2


def needs(tasks: TaskGraph, id: str, apart: Iterable[str]) -> list[str]:
    """The dependencies of a task, its own and those of its parents, whose work is apart."""
    return _needs(tasks, id, _and_above(tasks, apart))


def _needs(tasks: TaskGraph, id: str, missing: Collection[str]) -> list[str]:
    wanted = [other for one in _upwards(tasks, id) for other in one.depends_on if other in missing]
    return list(dict.fromkeys(wanted))


def _and_above(tasks: TaskGraph, ids: Iterable[str]) -> set[str]:
    """Depending on a parent is depending on all of it."""
    return {one.id for id in ids for one in _upwards(tasks, id)}


def _upwards(tasks: TaskGraph, id: str) -> Iterator[BacklogTask]:
    seen: set[str] = set()  # a file may say that parents form a ring
    while id not in seen and (task := tasks.get(id)):
        seen.add(id)
        yield task
        id = task.parent


HEADS = "refs/heads/"
_COMMIT = re.compile("[0-9a-f]{7,64}")  # the archive may be edited by hand


class UnlandedTask(msgspec.Struct, frozen=True):
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


class UnlandedTasks:
    def __init__(self, home: Repo, target: str = "") -> None:
        """`target`: everything has to be on this one. Without, only what could not land is asked about, each for its own."""
        self._home = home
        self._target = target.removeprefix(HEADS)
        self._known: dict[tuple[str, str], bool] = {}  # the tip of a target, a commit -> whether it is there

    def may_be(self, task: BacklogTask) -> bool:
        wanted = task.target or (self._target and task.branch)
        return bool(wanted and task.status == "complete" and _COMMIT.fullmatch(task.commit))

    def among(self, tasks: Iterable[BacklogTask]) -> list[UnlandedTask]:
        found, tips = [], dict[str, str]()
        for task in tasks:
            if not self.may_be(task):
                continue
            target = self._target or task.target
            at = tips[target] if target in tips else tips.setdefault(target, tip(self._home, HEADS + target))
            if not self._is_there(at, task.commit):
                gone = not tip(self._home, HEADS + task.branch)
                found.append(UnlandedTask(task.id, task.branch, target, gone))
        return found

    def is_on(self, target: str, commit: str) -> bool:
        return self._is_there(tip(self._home, HEADS + target), commit)

    def _is_there(self, at: str, commit: str) -> bool:
        key = (at, commit)
        if key not in self._known:
            self._known[key] = is_taken_over(self._home, at, commit)
        return self._known[key]
