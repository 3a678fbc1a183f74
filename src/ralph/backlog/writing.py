"""What the two files will hold once the noted changes are made on what people have left there."""

from __future__ import annotations

from ralph.backlog.changes import Conflict, Fields
from ralph.backlog.patch import fields_of, patched
from ralph.backlog.table import BOM, Table
from ralph.backlog.wishes import New, Wish, Wishes, is_more
from ralph.core.forest import Forest
from ralph.core.tasks import read_line


class Draft:
    """Made anew whenever the files turn out to have changed. With conflicts it must not be written."""

    def __init__(self, open: Table, done: Table, wishes: Wishes, forest: Forest) -> None:
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

    def _grant(self, id: str, wish: Wish) -> None:
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

    def _edited_meanwhile(self, at: int, wish: Wish) -> str:
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
        elif self._is_left_over(id):
            self.lines[at] = new.raw + self._open.eol()
        else:
            self._refuse(id, "is a task already; it was not added")

    def _is_left_over(self, id: str) -> bool:
        done = self._done.tasks.get(id)
        return done is not None and done.reopened >= self._open.tasks[id].reopened

    def _end_of(self, parent: str) -> int:
        """Behind the last line below this parent, so that what belongs together stands together."""
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
                    verified = all(child.verified for child in self._forest.children(parent.id))
                    fields: Fields = {
                        "status": "complete",
                        "completed": wish.fields["completed"],
                        "verified": verified,
                    }
                    self._to_archive(patched(self.lines[at], fields))
                    self.lines[at] = b""
                    self._touched.add(parent.id)
                task = parent


def _gone(wish: Wish, done: bool, name: str) -> str:
    return (
        "was completed by hand and stays so"
        if wish.of_loop and done
        else f"was removed from {name}; nothing was changed"
    )
