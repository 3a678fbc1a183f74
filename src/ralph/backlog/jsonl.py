"""`tasks.jsonl` and `tasks-done.jsonl`: the backlog as two files that people edit too.

What is decided is known at once (`note`) and written later, many changes in one go (`apply`). A person's edit goes before
a change of Ralph's, which is then reported and not made. Completion first adds to the archive, then takes the line away:
a crash in between leaves both, which reads as complete and is finished by the same change again.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import msgspec

from ralph.backlog import file
from ralph.backlog.changes import Applied, Change, Conflict
from ralph.backlog.file_watch import FileWatch
from ralph.backlog.nearest import hint
from ralph.backlog.replaced import ReplacedFiles
from ralph.backlog.table import BOM, Table
from ralph.backlog.wishes import Wishes
from ralph.backlog.writing import Draft
from ralph.core.forest import Forest
from ralph.core.tasks import BacklogTask, Problem, Status, read_line
from ralph.errors import RalphError

NAME = "tasks.jsonl"
_TRIES = 50
_FEW = 5000


def done_name(path: str) -> str:
    """The archive beside a backlog's file."""
    found = Path(path)
    return str(found.with_name(f"{found.stem}-done{found.suffix}"))


class JsonlBacklog:
    def __init__(self, path: Path, state_dir: Path, done: Path | None = None) -> None:
        self.path = path
        self.done_path = done or Path(done_name(str(path)))
        self._state_dir = state_dir
        self._open = Table(self.path, archived=False)
        self._done = Table(self.done_path, archived=True)
        self._wishes = Wishes()
        self._replaced = ReplacedFiles(path, state_dir)
        self.tasks = Forest()
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

    def watch(self) -> FileWatch:
        """Also of what the list was before Ralph replaced it."""
        return FileWatch(self.path, self.done_path, more=self._replaced.files)

    def copy_in(self, top: str) -> str:
        path, root = self.path.resolve(), Path(top)
        return str(path.relative_to(root)) if path.is_relative_to(root) else ""

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

    def raw(self, id: str) -> bytes:
        """Its line as it is in the file that counts."""
        task = self.find(id)
        return (self._done if task.archived else self._open).raw(id)

    def problems(self) -> list[Problem]:
        """In the order of the lines, the archive's last."""
        numbers = dict(zip(self._open.at, self._line_numbers(), strict=True))
        found = self._open.problems() + [
            Problem(self._left_over(id), self.path.name, numbers[id], id, "duplicate")
            for id in self._open.at
            if self._is_left_over(id)
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
        with file.alone(self._state_dir):
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
        with suppress(RalphError), file.alone(self._state_dir):
            return self._take_over()
        return False

    def _take_over(self) -> bool:
        """What somebody appended to a file that the list has replaced goes to its end."""
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
            raise file.unwritable(self.path, error) from error
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
            stamp = file.append(self.done_path, b"".join(draft.archive))
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

    def _placed(self, problem: Problem, line: int) -> Problem:
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
        tasks = [task for id, task in self._open.tasks.items() if not self._is_left_over(id)]
        shown = {task.id for task in tasks}
        tasks += [task for id, task in self._done.tasks.items() if id not in shown]
        self.tasks = Forest(self._wishes.over(tasks))

    def _is_left_over(self, id: str) -> bool:
        """Whether the archive has it: Ralph died before it took the line away, or somebody used an id again."""
        done, task = self._done.tasks.get(id), self._open.tasks[id]
        return done is not None and done.reopened >= task.reopened

    def _left_over(self, id: str) -> str:
        line = self._done.number(self._done.at[id])
        return f"{id}: is complete already, {self.done_path.name} line {line}"

    def _line_numbers(self) -> list[int]:
        numbers, n = [], 0
        wanted = iter(self._open.at.values())
        index = next(wanted, -1)
        for at, line in enumerate(self._open.lines):
            n += bool(line)
            if at == index:
                numbers.append(n)
                index = next(wanted, -1)
        return numbers
