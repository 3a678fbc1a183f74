"""Changes of a backlog. Each change names one task; many are written at once."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Protocol

import msgspec

from ralph.backlog.json_line import fields_of, line_of, patched
from ralph.core.tasks.task import BacklogTask, Status, read_fields, read_line, status

Fields = dict[str, object]  # of a line, the unknown ones too


class Claimed(msgspec.Struct, frozen=True):
    """A loop works on it."""

    id: str


class Completed(msgspec.Struct, frozen=True):
    """It is done and goes to the archive. Twice with the same commit counts once."""

    id: str
    commit: str = ""  # the landed one
    verified: bool = False
    evidence: str = ""
    when: str = ""  # a date in UTC; empty: today
    branch: str = ""  # that the commit is on, when that is not the target
    target: str = ""  # where it was to land and could not
    of_loop: bool = (
        False  # so with the others: decided by a loop, whose word counts less than a person's meanwhile
    )


class Failed(msgspec.Struct, frozen=True):
    id: str
    reason: str = ""
    of_loop: bool = False


class Blocked(msgspec.Struct, frozen=True):
    id: str
    reason: str = ""
    of_loop: bool = False


class Cancelled(msgspec.Struct, frozen=True):
    id: str
    reason: str = ""
    of_loop: bool = False


class Reopened(msgspec.Struct, frozen=True):
    """It is to be worked on (again), also when it is in the archive."""

    id: str
    of_loop: bool = False


class Edited(msgspec.Struct, frozen=True):
    """These fields get these values; None takes a field away."""

    id: str
    fields: Fields


class Added(msgspec.Struct, frozen=True):
    """A new line. A parent that was a leaf is none any more."""

    fields: Fields
    done: bool = False  # it goes to the archive at once


class Split(msgspec.Struct, frozen=True):
    """The parent becomes a container of these new lines."""

    parent: str
    children: tuple[Fields, ...]


Change = Claimed | Completed | Failed | Blocked | Cancelled | Reopened | Edited | Added | Split


class Conflict(msgspec.Struct, frozen=True):
    """A change that was not made, because a person's edit of the file says otherwise."""

    id: str
    what: str


class Applied(msgspec.Struct, frozen=True):
    conflicts: tuple[Conflict, ...] = ()


_SHAPE = ("parent", "depends_on", "priority", "leaf")  # what the order of work follows from
_OF_DONE: Fields = dict.fromkeys(("completed", "commit", "branch", "target", "verified", "evidence"))
_AT_WORK: tuple[Status, ...] = (
    "in_progress",
    "pending",
)  # the second: an editor that was opened before wrote it back


class PendingChange(msgspec.Struct):
    bases: tuple[Status, ...]  # in the file, when it was decided
    fields: Fields  # None takes one away
    was: Fields = {}  # what the edited fields held
    done: bool = False  # to the archive
    of_loop: bool = False


class New(msgspec.Struct):
    raw: bytes
    parent: str
    done: bool = False


class Lines(Protocol):
    def get(self, id: str) -> BacklogTask | None: ...
    def raw(self, id: str) -> bytes: ...


class PendingChanges:
    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self.known: dict[str, PendingChange] = {}
        self.new: dict[str, New] = {}
        self.conflicts: list[Conflict] = []
        self.uproot = False  # the forest cannot take it up piece by piece

    def __bool__(self) -> bool:
        return bool(self.known or self.new or self.conflicts)

    def take(self, change: Change, lines: Lines) -> list[BacklogTask]:
        """Note it; the tasks as they are from now on."""
        match change:
            case Added(fields, done):
                return self._add(fields, done, lines)
            case Split(parent, children):
                found = self._set(parent, {"leaf": False}, lines)
                return found + [task for fields in children for task in self._add(fields, False, lines)]
            case Reopened(id, of_loop):
                return self._reopen(id, lines, of_loop=of_loop)
            case Edited(id, fields):
                self.uproot |= any(name in _SHAPE for name in fields)
                return self._set(id, fields, lines, edits=True)
            case Completed():
                return self._set(change.id, _of_completion(change), lines, done=True, of_loop=change.of_loop)
            case Claimed(id):
                return self._set(id, {"status": "in_progress", "reason": None}, lines)
            case Failed(id, reason) | Blocked(id, reason) | Cancelled(id, reason):
                word = type(change).__name__.lower()
                return self._set(
                    id, {"status": word, "reason": reason or None}, lines, of_loop=change.of_loop
                )

    def over(self, tasks: Iterable[BacklogTask]) -> list[BacklogTask]:
        """The tasks of the files as they will be. Where a person said otherwise meanwhile, as they are."""
        self.uproot = False
        found = {task.id: task for task in tasks}
        for id, wish in self.known.items():
            if id in found and not found[id].archived and self.agrees(wish, found[id]):
                found[id] = _changed(found[id], wish)
        last = max((task.order for task in found.values()), default=0)
        for n, new in enumerate(self.new.values(), 1):
            task = read_line(new.raw.strip(), last + n)
            found[task.id] = task
        return list(found.values())

    def agrees(self, wish: PendingChange, task: BacklogTask) -> bool:
        """Whether no one else changed the status since the decision, or to the same. A loop's is the same only with the same
        reason: it was written before its writer died."""
        target = wish.fields.get("status")
        if not isinstance(target, str) or task.status in wish.bases:
            return True
        return task.status == status(target) and (
            not wish.of_loop or task.reason == (wish.fields.get("reason") or "")
        )

    def drop(self, conflicts: Iterable[Conflict]) -> None:
        for conflict in conflicts:
            self.known.pop(conflict.id, None)
            self.new.pop(conflict.id, None)
        self.conflicts = []

    # -- parts -----------------------------------------------------------------------------------------

    def _set(
        self,
        id: str,
        fields: Fields,
        lines: Lines,
        *,
        done: bool = False,
        edits: bool = False,
        of_loop: bool = False,
    ) -> list[BacklogTask]:
        task = lines.get(id)
        if new := self.new.get(id):
            new.raw, new.done = patched(new.raw, fields), done
            return [read_line(new.raw.strip(), task.order if task else 0)]
        if task is None:
            self.conflicts.append(Conflict(id, f"{id} is not in the backlog any more; nothing was changed"))
            return []
        if task.archived and not (done and id in self.known):
            if done and (task.commit == fields.get("commit", "") or (of_loop and is_more(fields, task))):
                # perhaps its line is still there
                self.known[id] = PendingChange(_AT_WORK, fields, done=True, of_loop=of_loop)
            elif of_loop:
                self.conflicts.append(Conflict(id, f"{id} was completed by hand and stays so"))
            else:
                self.conflicts.append(Conflict(id, f"{id} is complete already; reopen it first"))
            return []
        wish = self.known.setdefault(id, PendingChange(_AT_WORK if of_loop else (task.status,), {}))
        wish.of_loop |= of_loop
        if edits:
            held = fields_of(lines.raw(id))
            wish.was = {**{name: held.get(name) for name in fields if name != "status"}, **wish.was}
        wish.fields = {**wish.fields, **fields}
        wish.done = done
        if of_loop and task.status not in _AT_WORK and not self.agrees(wish, task):
            return []  # a person's word stands; writing reports it
        return [_changed(task, wish)]

    def _reopen(self, id: str, lines: Lines, *, of_loop: bool) -> list[BacklogTask]:
        task = lines.get(id)
        if task is None or not task.archived:
            again = {"status": "pending", "reason": None, **_OF_DONE}
            return self._set(id, again, lines, of_loop=of_loop)
        if of_loop:
            self.conflicts.append(Conflict(id, f"{id} was completed by hand and stays so"))
            return []
        again = {**_OF_DONE, "status": "pending", "reopened": task.reopened + 1}
        self.new[id] = New(patched(lines.raw(id).strip(), again), task.parent)
        self.uproot = True
        return []

    def _add(self, fields: Fields, done: bool, lines: Lines) -> list[BacklogTask]:
        task = read_fields(fields)
        if lines.get(task.id) or task.id in self.new:
            self.conflicts.append(Conflict(task.id, f"there is a task {task.id} already; it was not added"))
            return []
        found = []
        if not done and (parent := lines.get(task.parent)) and parent.leaf:
            found = self._set(parent.id, {"leaf": False}, lines) if not parent.archived else []
        self.new[task.id] = New(line_of(fields), task.parent, done)
        order = 1 << 40  # behind all others until it has a line
        return [*found, msgspec.structs.replace(task, order=order + len(self.new))]


def is_more(fields: Fields, done: BacklogTask) -> bool:
    """Whether this completion says more than the archive's line, which has someone's word only."""
    return not done.verified and (
        bool(fields.get("verified")) or (bool(fields.get("commit")) and not done.commit)
    )


def _of_completion(change: Completed) -> Fields:
    found: Fields = {
        "status": "complete",
        "reason": None,
        "completed": change.when or time.strftime("%Y-%m-%d", time.gmtime()),
    }
    named = {"commit": change.commit, "branch": change.branch, "target": change.target}
    found |= {name: value for name, value in named.items() if value}
    found["verified"] = change.verified
    if change.evidence:
        found["evidence"] = change.evidence
    return found


def _changed(task: BacklogTask, wish: PendingChange) -> BacklogTask:
    """The task as its fields will say."""
    plain = {name: value for name, value in wish.fields.items() if name in _PLAIN}
    if len(plain) == len(wish.fields):
        changes = {name: _PLAIN[name] if value is None else value for name, value in plain.items()}
        if "status" in changes:
            changes["status"] = status(str(changes["status"]))
        return msgspec.structs.replace(task, **changes)
    fields: Fields = {
        name: value for name, value in msgspec.to_builtins(task).items() if name not in ("order", "archived")
    }
    fields |= {"parent": task.parent, "status": task.status, **wish.fields}
    return read_fields({name: value for name, value in fields.items() if value is not None}, task.order)


# fields that need no reading, and what they are when taken away
_PLAIN: dict[str, object] = {
    "status": "pending",
    "reason": "",
    "completed": "",
    "commit": "",
    "branch": "",
    "target": "",
    "verified": None,
    "leaf": None,
}
