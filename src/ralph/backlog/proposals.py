"""Tasks that iterations propose: placed in the backlog, each once, under a free id, and never lost in silence.

What is proposed below a task that a loop works on waits until that loop is over. If it failed, a split takes effect in
place of the failure. If it came to a good end there is nothing left to split, and what was to be added goes beside it.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from ralph.backlog.changes import Added, Change, Fields
from ralph.backlog.source import Backlog
from ralph.core import facts as f
from ralph.core.exits import FAILURES
from ralph.core.policy import Task
from ralph.core.tasks.task import NOT_ACCEPTED, bad_id, next_child, next_top, parent_of
from ralph.errors import RalphError

MOST = (
    100  # tasks that may come of one task of a person, by whomever; agents must not fill the backlog forever
)
TITLE_CHARS = 300


class _Wish(msgspec.Struct, frozen=True):
    task: Task
    how: str
    by: str  # the task whose loop wants it
    parent: str  # below which it is wanted: a task under way, or a part that waits too


class ProposalWriter:
    def __init__(
        self,
        backlog: Backlog,
        note: Callable[[Change], None],
        say: Callable[[str], None],
        generations: int = 1,
    ) -> None:
        """`generations`: how many of proposed tasks are worked on without a word of a person."""
        self._generations = generations
        self._backlog = backlog
        self._note = note
        self._say = say
        self.under_way: set[str] = set()
        self._waiting: dict[str, list[_Wish]] = {}
        self._counts: dict[str, int] = {}
        self._renamed: dict[tuple[str, str], str] = {}  # who proposed it under which id -> the id it has
        self._told: dict[str, list[str]] = {}  # task -> what its agent is to be told

    def began(self, task: str) -> None:
        self.under_way.add(task)

    def heard(self, x: f.TaskProposed, by: str, *, written: bool = False) -> None:
        """`written`: the backlog's file already has it."""
        root = self._ancestors(by)[-1]
        for task in x.tasks:
            self._counts[root] = self._counts.get(root, 0) + 1
            if self._counts[root] > MOST:
                if self._counts[root] == MOST + 1 and not written:
                    self._say(
                        f"more than {MOST} tasks were proposed because of {root}; the rest is not added"
                    )
                return
            wanted = x.parent or parent_of(task.id)
            parent = self._renamed.get((by, wanted), wanted)
            if under_way := self._under_way_above(parent, by):
                self._waiting.setdefault(under_way, []).append(_Wish(task, x.how, by, parent))
                if x.how == "add" and not written:
                    self._tell(by, f"{_name(task)}: is added when the work on {under_way} is over")
            elif not written:
                self._place(task, parent, by)

    def told(self, task: str) -> tuple[str, ...]:
        return tuple(self._told.pop(task, ()))

    def _under_way_above(self, parent: str, by: str) -> str:
        """The task under way that it is wanted below: itself, or by way of a part that waits for it."""
        if parent in self.under_way:
            return parent
        waits = (
            (task, wish)
            for task, wishes in self._waiting.items()
            for wish in wishes
            if wish.by == by and parent
        )
        return next((task for task, wish in waits if wish.task.id == parent), "")

    def is_split(self, task: str, end: str | None) -> bool:
        """Whether the end of this loop makes its task a container."""
        return end in FAILURES and any(wish.how == "split" for wish in self._waiting.get(task, ()))

    def over(self, task: str, end: str | None) -> None:
        """What the end means for the task itself has been noted; now what waited for it."""
        for wish in self.forget(task):
            parent = self._renamed.get((wish.by, wish.parent), wish.parent)
            if end in FAILURES:
                self._place(wish.task, parent, wish.by)
            elif wish.how == "add" and parent in (task, *self._renamed.values()):
                self._place(wish.task, self._beside(task) if parent == task else parent, wish.by)
            else:
                self._say(f"{task} is {end}: it is not split, and {wish.task.title!r} is not added")

    def forget(self, task: str) -> list[_Wish]:
        self.under_way.discard(task)
        return self._waiting.pop(task, [])

    # -- parts ---------------------------------------------------------------------------------------

    def _ancestors(self, task: str) -> list[str]:
        """The task, who proposed it, and so on up to one that a person wanted."""
        found = [task]
        while (one := self._backlog.tasks.get(found[-1])) and one.proposed_by not in ("", *found):
            found.append(one.proposed_by)
        return found

    def _beside(self, task: str) -> str:
        """The nearest task above that is still open; empty at the top."""
        found = self._backlog.tasks.get(task)
        while found is not None:
            found = self._backlog.tasks.get(found.parent) if found.parent else None
            if found is not None and not found.archived:
                return found.id
        return ""

    def _tell(self, by: str, text: str) -> None:
        self._told.setdefault(by, []).append(text)

    def _place(self, task: Task, parent: str, by: str) -> None:
        above = self._backlog.tasks.get(parent) if parent else None
        orphan = f"there is no task {parent}, its parent" if parent and above is None else ""
        if orphan:
            parent = ""
        if above is not None and above.archived:
            parent = self._beside(parent)
        title = " ".join(task.title.split())[:TITLE_CHARS]
        if same := self._same(title, task.description, parent):
            self._renamed[by, task.id] = same
            self._tell(by, f"{_name(task)}: is in the list as {same}")
            return
        id = self._free("" if orphan else task.id, parent)
        waits = len(self._ancestors(by)) > self._generations
        try:
            self._note(Added(_fields(task, id, title, parent, by, waits=waits)))
        except RalphError as error:
            self._say(f"{by} proposed a task that cannot be: {error.what}")
            self._tell(by, f"{_name(task)}: cannot be added: {error.what}")
            return
        if task.id:
            self._renamed[by, task.id] = id
        todo = f"; `ralph task accept {id}` lets it begin" if waits else ""
        self._say(f"{by} proposed {id}: {title}" + (f" ({orphan})" if orphan else "") + todo)
        why = orphan or ("its id was taken" if id != task.id else "")
        waiting = "; it waits for a person to accept it" if waits else ""
        self._tell(by, f"{_name(task)}: is added as {id}" + (f", as {why}" if why else "") + waiting)

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


def _name(task: Task) -> str:
    return f"{task.id} ({task.title[:60]})" if task.id else repr(task.title[:60])


def _fields(task: Task, id: str, title: str, parent: str, by: str, *, waits: bool) -> Fields:
    """The line of a proposed task. All that it does not say is a person's to give."""
    fields: Fields = {"id": id, "title": title, "status": "pending", "leaf": True, "proposed_by": by}
    if waits:
        fields |= {"status": "blocked", "reason": NOT_ACCEPTED}
    if task.description:
        fields["description"] = task.description
    if task.criteria:
        fields["criteria"] = list(task.criteria)
    if parent != parent_of(id):
        fields["parent"] = parent
    return fields
