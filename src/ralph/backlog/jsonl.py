"""`tasks.jsonl`, the default backlog: its tasks, its archive, and changes, which are noted first and written in batches."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from ralph.backlog import done_name, text_file
from ralph.backlog.changes import (
    Applied,
    Change,
    Conflict,
    Fields,
    New,
    PendingChange,
    PendingChanges,
    is_more,
)
from ralph.backlog.json_line import fields_of, patched
from ralph.backlog.replaced_files import ReplacedFiles
from ralph.backlog.text_file import BOM, Table
from ralph.core.tasks.graph import TaskGraph
from ralph.core.tasks.task import BacklogTask, Status, TaskProblem, read_line
from ralph.errors import RalphError

_MANY = 2000


def hint(name: str, among: Sequence[str]) -> str:
    """Which was perhaps meant; empty when nothing is near."""
    if len(among) > _MANY:
        among = [other for other in among if abs(len(other) - len(name)) < 3 and other[:1] == name[:1]][
            :_MANY
        ]
    same = [other for other in among if other.lower() == name.lower()]
    found = same or difflib.get_close_matches(name[:120], among, 1, 0.5)
    return f"The nearest is {found[0]}." if found else ""


def _is_left_over(id: str, open: Table, done: Table) -> bool:
    """Whether the archive has it: Ralph died before it took the line away, or someone used an id again."""
    return id in done.tasks and done.tasks[id].reopened >= open.tasks[id].reopened


class Draft:
    """Made anew whenever the files turn out to have changed. With conflicts it must not be written."""

    def __init__(self, open: Table, done: Table, wishes: PendingChanges, forest: TaskGraph) -> None:
        self._open, self._done, self._wishes, self._forest = open, done, wishes, forest
        self.lines = list(open.lines)
        self.archive: list[bytes] = []
        self.conflicts = list(wishes.conflicts)
        self.moved = bool(wishes.new)  # lines do not keep their places
        self._touched: set[str] = set()
        self._inserts: dict[int, list[bytes]] = {}
        self._ends: dict[str, int] = {}
        for id, wish in wishes.known.items():
            self._grant(id, wish)
        for id, new in wishes.new.items():
            self._insert(id, new)
        if not self.conflicts:
            self._finish_parents()
        self._place_inserts()

    @property
    def changed(self) -> bool:
        return self.lines != self._open.lines

    def settle(self, table: Table) -> None:
        """The table has these lines from now on."""
        if self.moved:
            table.fill([line for line in self.lines if line])
            return
        table.lines = self.lines
        for id in self._touched:
            at = table.at[id]
            if self.lines[at]:
                table.tasks[id] = read_line(self.lines[at].removeprefix(BOM).strip(), at)
            else:
                del table.at[id], table.tasks[id]

    # -- parts -----------------------------------------------------------------------------------------

    def _grant(self, id: str, wish: PendingChange) -> None:
        at = self._open.at.get(id)
        if at is None:
            done = self._done.tasks.get(id)
            if not (wish.done and done):
                self._refuse(id, _gone(wish, done is not None, self._open.path.name))
            elif wish.of_loop and is_more(wish.fields, done):  # of two lines of the archive, the last counts
                self._to_archive(patched(self._done.raw(id), wish.fields))
            return
        task = self._open.tasks[id]
        commit = str(wish.fields.get("commit", ""))
        if wish.done and self._is_archived(
            id, commit, task.reopened
        ):  # only its line is left to be taken away
            self.lines[at] = b""
            self._touched.add(id)
            return
        if not self._wishes.agrees(wish, task):
            self._refuse(id, f"was set to {task.status} by hand and stays so")
            return
        if wish.was and (name := self._edited_meanwhile(at, wish)):
            self._refuse(id, f"{name} was changed by hand meanwhile and stays so")
            return
        raw = patched(self.lines[at], wish.fields)
        self._touched.add(id)
        if not wish.done:
            self.lines[at] = raw
            return
        self.lines[at] = b""
        self._to_archive(raw)

    def _refuse(self, id: str, why: str) -> None:
        self.conflicts.append(Conflict(id, f"{id} {why}"))

    def _edited_meanwhile(self, at: int, wish: PendingChange) -> str:
        now = fields_of(self.lines[at])
        for name, value in wish.was.items():
            if now.get(name) not in (value, wish.fields.get(name)):
                return name
        return ""

    def _is_archived(self, id: str, commit: str, reopened: int) -> bool:
        done = self._done.tasks.get(id)
        return done is not None and (done.commit, done.reopened) == (commit, reopened)

    def _to_archive(self, raw: bytes) -> None:
        self.archive.append(raw.removeprefix(BOM).strip() + self._done.eol())

    def _insert(self, id: str, new: New) -> None:
        if new.done:
            self._to_archive(new.raw)
            return
        at = self._open.at.get(id)
        if at is None:
            self._inserts.setdefault(self._end_of(new.parent), []).append(new.raw + self._open.eol())
        elif _is_left_over(id, self._open, self._done):
            self.lines[at] = new.raw + self._open.eol()
        else:
            self._refuse(id, "is a task already; it was not added")

    def _end_of(self, parent: str) -> int:
        """Behind the last line below this parent, so that what belongs together stands together."""
        if parent not in self._ends and parent not in self._open.at and parent in self._wishes.new:
            return self._end_of(self._wishes.new[parent].parent)  # which is inserted there, too
        if parent not in self._ends:
            at = self._open.at.get(parent, -1)
            below = [parent]
            for one in below:
                children = [child.id for child in self._forest.children(one)]
                at = max([at, *(self._open.at.get(child, -1) for child in children)])
                below += children
            self._ends[parent] = at if at >= 0 and parent else len(self.lines) - 1
        return self._ends[parent]

    def _place_inserts(self) -> None:
        if not self._inserts:
            return
        found: list[bytes] = list(self._inserts.pop(-1, ()))
        for at, line in enumerate(self.lines):
            found.append(line)
            if at in self._inserts:
                if line and not line.endswith(b"\n"):
                    found[-1] += self._open.eol()
                found += self._inserts[at]
        self.lines = found

    def _finish_parents(self) -> None:
        """A container whose children are all over goes to the archive with the last of them."""
        for id, wish in self._wishes.known.items():
            if not wish.done:
                continue
            task = self._forest.get(id)
            while task and (parent := self._forest.get(task.parent)):
                at = self._open.at.get(parent.id, -1)
                over = self._forest.status(parent.id) == "complete" and not self._forest.is_leaf(parent.id)
                if at >= 0 and self.lines[at] and over and not parent.archived:
                    fields: Fields = {
                        "status": "complete",
                        "completed": wish.fields["completed"],
                        "verified": self._is_verified(parent.id),
                    }
                    self._to_archive(patched(self.lines[at], fields))
                    self.lines[at] = b""
                    self._touched.add(parent.id)
                task = parent

    def _is_verified(self, id: str) -> bool:
        """Of a container: whether all that was done below it was."""
        below = [
            child.id for child in self._forest.children(id) if self._forest.status(child.id) == "complete"
        ]
        if below and not self._forest.is_leaf(id):
            return all(self._is_verified(child) for child in below)
        task = self._forest.get(id)
        return bool(task and task.verified)


def _gone(wish: PendingChange, done: bool, name: str) -> str:
    return (
        "was completed by hand and stays so"
        if wish.of_loop and done
        else f"was removed from {name}; nothing was changed"
    )


_TRIES = 50
_FEW = 5000


class JsonlBacklog:
    def __init__(self, path: Path, state_dir: Path) -> None:
        self.path = path
        self.done_path = Path(done_name(str(path)))
        self._state_dir = state_dir
        self._open = Table(self.path, archived=False)
        self._done = Table(self.done_path, archived=True)
        self._wishes = PendingChanges()
        self._replaced = ReplacedFiles(path, state_dir)
        self.tasks = TaskGraph()
        self._plant()
        self._take_over_if_any()

    # -- asking ----------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        return str(self.path)

    def refresh(self) -> bool:
        """Take up edits by hand. Cheap when there are none; True when there were."""
        took = self._take_over_if_any()
        return self._reload() or took

    def _reload(self) -> bool:
        stale = [table for table in (self._open, self._done) if table.is_stale()]
        for table in stale:
            table.load()
        if stale:
            self._plant()
        return bool(stale)

    def copy_in(self, top: str) -> str:
        path, root = self.path.resolve(), Path(top)
        return str(path.relative_to(root)) if path.is_relative_to(root) else ""

    def texts(self) -> tuple[bytes, bytes]:
        draft = Draft(self._open, self._done, self._wishes, self.tasks)
        archive = self._done.text()
        if draft.conflicts:  # writing deals with these, and reports them
            return self._open.text(), archive
        if draft.archive and archive and not archive.endswith(b"\n"):
            archive += self._done.eol()
        return b"".join(draft.lines), archive + b"".join(draft.archive)

    def all(self) -> list[BacklogTask]:
        """The open ones in the order of the file, then the archive."""
        return list(self.tasks)

    def get(self, id: str) -> BacklogTask | None:
        return self.tasks.get(id)

    def find(self, id: str) -> BacklogTask:
        """As `get`, with an error for people."""
        if task := self.tasks.get(id):
            return task
        for problem in self.problems():
            if problem.id == id:
                raise RalphError(
                    problem.what, where=f"{problem.file}:{problem.line}", todo="Correct this line."
                )
        raise RalphError(
            f"there is no task {id!r}",
            where=str(self.path.name),
            todo=hint(id, [task.id for task in self.tasks]) or "`ralph task list` shows all.",
        )

    def status(self, id: str) -> Status:
        return self.tasks.status(id)

    def ready(self, most: int | None = None) -> list[BacklogTask]:
        return self.tasks.ready(most)

    def line(self, id: str) -> int:
        """Where it stands in its file."""
        table = self._done if self.tasks.get(id) is self._done.tasks.get(id) else self._open
        return table.number(table.at[id]) if id in table.at else 0

    def place(self, id: str) -> dict[str, object]:
        """Where a person finds it."""
        task = self.find(id)
        return {"file": (self.done_path if task.archived else self.path).name, "line": self.line(id)}

    def raw(self, id: str) -> bytes:
        """Its line as it is in the file that counts."""
        task = self.find(id)
        return (self._done if task.archived else self._open).raw(id)

    def problems(self) -> list[TaskProblem]:
        """In the order of the lines, the archive's last."""
        lines = self._open.numbers()
        numbers = {id: lines[at] for id, at in self._open.at.items()}
        found = self._open.problems() + [
            TaskProblem(self._left_over(id), self.path.name, numbers[id], id, "duplicate")
            for id in self._open.at
            if _is_left_over(id, self._open, self._done)
        ]
        found += [self._placed(problem, numbers.get(problem.id, 0)) for problem in self.tasks.problems()]
        return sorted(found, key=lambda problem: problem.line) + self._done.problems()

    # -- changing --------------------------------------------------------------------------------------

    def note(self, *changes: Change) -> None:
        """Known from now on, on disk after the next `apply`. What cannot be is an error for people and changes nothing."""
        for change in changes:
            try:
                for task in self._wishes.take(change, self):
                    self.tasks.put(task)
            except ValueError as error:
                raise RalphError(str(error), where=self.path.name, todo="Nothing was changed.") from None
        if self._wishes.uproot:
            self._plant()

    def apply(self, changes: Iterable[Change] = ()) -> Applied:
        """Write what was noted, and these, in one go."""
        self.note(*changes)
        if not self._wishes:
            return Applied()
        conflicts: list[Conflict] = []
        with text_file.locked(self._state_dir):
            self._take_over()
            for _ in range(_TRIES):
                self._reload()
                draft = Draft(self._open, self._done, self._wishes, self.tasks)
                if draft.conflicts:  # without these, more or less may follow for the rest
                    conflicts += draft.conflicts
                    self._wishes.drop(draft.conflicts)
                    self._plant()
                elif self._write(draft):
                    self._wishes.clear()
                    if draft.moved:
                        self._plant()
                    return Applied(tuple(conflicts))
        raise self._never_at_rest()

    def _take_over_if_any(self) -> bool:
        """Who only reads the list can do without: whoever writes it next does it, or says what is wrong."""
        if not self._replaced.changed():
            return False
        with suppress(RalphError), text_file.locked(self._state_dir):
            return self._take_over()
        return False

    def _take_over(self) -> bool:
        """What someone appended to a file that the list has replaced goes to its end."""
        try:
            self._replaced.recover()
            for _ in range(_TRIES):
                self._reload()
                took = self._replaced.appended(self._is_known)
                if not took.data:
                    self._replaced.forget(took)
                    return False
                before = self._open.text()
                start = before if not before or before.endswith(b"\n") else before + self._open.eol()
                if self._replaced.replace(start + took.data, before, self._open.stamp, took):
                    self._reload()
                    return True
        except OSError as error:
            raise text_file.unwritable(self.path, error) from error
        raise self._never_at_rest()

    def _is_known(self, line: bytes) -> bool:
        try:
            id = read_line(line.removeprefix(BOM).strip()).id
        except ValueError:
            return False
        return id in self._open.at or id in self._done.at

    def _never_at_rest(self) -> RalphError:
        return RalphError(
            "is written by another program all the time",
            where=str(self.path),
            todo="Nothing is lost; end the other program and try again.",
        )

    def _write(self, draft: Draft) -> bool:
        if draft.archive:
            unended = bool(self._done.lines) and not self._done.lines[-1].endswith(b"\n")
            stamp = text_file.append(self.done_path, b"".join(draft.archive))
            if unended:
                self._done.load()
                self._plant()
            else:
                for task in self._done.took(draft.archive):
                    self.tasks.put(task)
                self._done.written(stamp)
        if not draft.changed:
            return True
        before = self._open.text()
        stamp = self._replaced.replace(b"".join(draft.lines), before, self._open.stamp)
        if stamp is None:
            return False
        draft.settle(self._open)
        self._open.written(stamp)
        return True

    # -- parts -----------------------------------------------------------------------------------------

    def _placed(self, problem: TaskProblem, line: int) -> TaskProblem:
        """With its file and line and, among few tasks, the id that was perhaps meant."""
        what = problem.what
        if problem.missing and len(self.tasks) < _FEW:
            others = [
                t.id for t in self.tasks if t.id != problem.id and not t.id.startswith(f"{problem.missing}.")
            ]
            near = hint(problem.missing, others)
            what = f"{what}. {near}" if near else what
        return msgspec.structs.replace(problem, what=what, file=self.path.name, line=line)

    def _plant(self) -> None:
        tasks = [
            task for id, task in self._open.tasks.items() if not _is_left_over(id, self._open, self._done)
        ]
        shown = {task.id for task in tasks}
        tasks += [task for id, task in self._done.tasks.items() if id not in shown]
        self.tasks = TaskGraph(self._wishes.over(tasks))

    def _left_over(self, id: str) -> str:
        line = self._done.number(self._done.at[id])
        return f"{id}: is complete already, {self.done_path.name} line {line}"
