"""Tasks that are complete and whose work is somewhere else than where the next ones begin: what rests on them waits."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Protocol

from ralph.core.tasks import BacklogTask


class Tasks(Protocol):
    def get(self, id: str) -> BacklogTask | None: ...
    def ready(self, most: int | None = None) -> list[BacklogTask]: ...


def ready(tasks: Tasks, most: int | None, apart: Iterable[str]) -> list[BacklogTask]:
    """As `Tasks.ready`, without those that need the work of tasks that are apart."""
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


def needs(tasks: Tasks, id: str, apart: Iterable[str]) -> list[str]:
    """The dependencies of a task, its own and those of its parents, whose work is apart."""
    return _needs(tasks, id, _and_above(tasks, apart))


def _needs(tasks: Tasks, id: str, missing: Collection[str]) -> list[str]:
    wanted = [other for one in _upwards(tasks, id) for other in one.depends_on if other in missing]
    return list(dict.fromkeys(wanted))


def _and_above(tasks: Tasks, ids: Iterable[str]) -> set[str]:
    """Depending on a parent is depending on all of it."""
    return {one.id for id in ids for one in _upwards(tasks, id)}


def _upwards(tasks: Tasks, id: str) -> Iterator[BacklogTask]:
    seen: set[str] = set()  # a file may say that parents form a ring
    while id not in seen and (task := tasks.get(id)):
        seen.add(id)
        yield task
        id = task.parent
