"""Tasks that iterations propose, on their way into the user's backlog: checked, under a free id, each once.

What is proposed below a task that a loop works on waits until that loop is over. If it failed, a split takes effect in
place of the failure. If it came to a good end there is nothing left to split, and what was to be added goes beside it.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from ralph.backlog import Added, Backlog, Change
from ralph.core import facts as f
from ralph.core.exits import FAILURES
from ralph.core.policy import Task
from ralph.core.tasks import bad_id, next_child, next_top, parent_of
from ralph.errors import RalphError

MOST = 100  # tasks that the loops of one task may propose; an agent must not fill the backlog for ever
TITLE_CHARS = 300


class _Wish(msgspec.Struct, frozen=True):
    task: Task
    how: str
    by: str  # the task whose loop wants it


class Proposing:
    def __init__(self, backlog: Backlog, note: Callable[[Change], None], say: Callable[[str], None]) -> None:
        self._backlog = backlog
        self._note = note
        self._say = say
        self._under_way: set[str] = set()
        self._waiting: dict[str, list[_Wish]] = {}
        self._counts: dict[str, int] = {}
        self._renamed: dict[tuple[str, str], str] = {}  # who proposed it under which id -> the id it has

    def began(self, task: str) -> None:
        self._under_way.add(task)

    def heard(self, x: f.TaskProposed, by: str, *, written: bool = False) -> None:
        """`written`: the backlog's file has been told of it before."""
        for task in x.tasks:
            self._counts[by] = self._counts.get(by, 0) + 1
            if self._counts[by] > MOST:
                if self._counts[by] == MOST + 1 and not written:
                    self._say(f"{by} proposed more than {MOST} tasks; the rest is not added")
                return
            wanted = x.parent or parent_of(task.id)
            parent = self._renamed.get((by, wanted), wanted)
            if parent in self._under_way:
                self._waiting.setdefault(parent, []).append(_Wish(task, x.how, by))
            elif not written:
                self._place(task, parent, by)

    def is_split(self, task: str, end: str | None) -> bool:
        """Whether the end of this loop makes its task a container."""
        return end in FAILURES and any(wish.how == "split" for wish in self._waiting.get(task, ()))

    def over(self, task: str, end: str | None) -> None:
        """What the end means for the task itself has been noted; now what waited for it."""
        for wish in self.forget(task):
            if end in FAILURES:
                self._place(wish.task, task, wish.by)
            elif wish.how == "add":
                self._place(wish.task, self._beside(task), wish.by)
            else:
                self._say(f"{task} is {end}: it is not split, and {wish.task.title!r} is not added")

    def forget(self, task: str) -> list[_Wish]:
        self._under_way.discard(task)
        return self._waiting.pop(task, [])

    # -- parts ---------------------------------------------------------------------------------------

    def _beside(self, task: str) -> str:
        """The nearest task above that is still open; empty at the top."""
        found = self._backlog.tasks.get(task)
        while found is not None:
            found = self._backlog.tasks.get(found.parent) if found.parent else None
            if found is not None and not found.archived:
                return found.id
        return ""

    def _place(self, task: Task, parent: str, by: str) -> None:
        above = self._backlog.tasks.get(parent) if parent else None
        if parent and above is None:
            self._say(f"{by} proposed {task.title!r} below {parent}, which does not exist; it is not added")
            return
        if above is not None and above.archived:
            parent = self._beside(parent)
        title = " ".join(task.title.split())[:TITLE_CHARS]
        if same := self._same(title, task.description, parent):
            self._renamed[by, task.id] = same
            return
        id = self._free(task.id, parent)
        fields: dict[str, object] = {"id": id, "title": title, "status": "pending", "leaf": True}
        if task.description:
            fields["description"] = task.description
        if task.criteria:
            fields["criteria"] = list(task.criteria)
        if parent != parent_of(id):
            fields["parent"] = parent
        try:
            self._note(Added(fields))
        except RalphError as error:
            self._say(f"{by} proposed a task that cannot be: {error.what}")
            return
        self._renamed[by, task.id] = id
        self._say(f"{by} proposed {id}: {title}")

    def _same(self, title: str, description: str, parent: str) -> str:
        """Proposed twice counts once; also when the file was written and its writer died before it could say so."""
        for task in self._backlog.tasks:
            if task.title == title and task.description == description and task.parent == parent:
                return task.id
        return ""

    def _free(self, id: str, parent: str) -> str:
        fits = parent_of(id) in ("", parent) and not bad_id(id)
        if fits and self._backlog.tasks.get(id) is None:
            return id
        taken = [task.id for task in self._backlog.tasks]
        return next_child(parent, taken) if parent else next_top(taken)
