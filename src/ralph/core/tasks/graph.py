"""Tasks that wait for each other forever. O(n): what can begin or end is taken away until only knots are left.

Every task begins and ends: it ends after it began and after its children ended; it begins after its dependencies ended
and after its parent may begin. So a task that depends on its own parent is a knot too.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping

from ralph.core.tasks.task import PRIORITY, STATUSES, BacklogTask, Status, TaskProblem

_Node = tuple[str, bool]  # a task; whether its end is meant


def dependency_cycles(
    tasks: Mapping[str, BacklogTask], is_complete: Callable[[str], bool]
) -> list[list[str]]:
    """Each as the tasks in the order in which they wait for one another."""
    if not any(task.depends_on for task in tasks.values()) and not _odd_parents(tasks):
        return []
    after, waits = _graph(tasks, is_complete)
    left = _without_free(after, waits)
    found, seen = [], set[_Node]()
    for start in left:
        path: dict[_Node, int] = {}
        node = start
        while node not in seen and node not in path:
            path[node] = len(path)
            node = next(other for other in waits[node] if other in left)
        if node in path:
            # A task's beginning and end are one to the reader, and so is a parent that is passed on the way.
            found.append(list(dict.fromkeys(id for id, _ in list(path)[path[node] :])))
        seen.update(path)
    return found


def _odd_parents(tasks: Mapping[str, BacklogTask]) -> bool:
    """Dots cannot form a ring; parents that lines name can."""
    return any(task.parent and not task.id.startswith(f"{task.parent}.") for task in tasks.values())


def _graph(
    tasks: Mapping[str, BacklogTask], is_complete: Callable[[str], bool]
) -> tuple[dict[_Node, list[_Node]], dict[_Node, list[_Node]]]:
    after: dict[_Node, list[_Node]] = {}
    waits: dict[_Node, list[_Node]] = {}

    def wait(node: _Node, other: _Node) -> None:
        waits.setdefault(node, []).append(other)
        after.setdefault(other, []).append(node)

    for id, task in tasks.items():
        if is_complete(id):
            continue
        for other in task.depends_on:
            if other in tasks and not is_complete(other):
                wait((id, False), (other, True))
        if task.parent in tasks and not is_complete(task.parent):
            wait((id, False), (task.parent, False))
            wait((task.parent, True), (id, True))
        wait((id, True), (id, False))
    return after, waits


def _without_free(after: dict[_Node, list[_Node]], waits: dict[_Node, list[_Node]]) -> set[_Node]:
    """The nodes from which following what they wait for never ends."""
    count = {node: len(others) for node, others in waits.items()}
    free = [node for node in after if node not in count]
    for node in free:
        for other in after.get(node, ()):
            count[other] -= 1
            if not count[other]:
                free.append(other)
    return {node for node, n in count.items() if n}


_HOLDS = ("blocked", "cancelled", "failed")
_OVER = ("complete", "cancelled")
_Entry = tuple[float, int, str]


class TaskGraph:
    def __init__(self, tasks: Iterable[BacklogTask] = ()) -> None:
        self._tasks: dict[str, BacklogTask] = {}
        self._children: dict[str, list[str]] = {}
        self._dependents: dict[str, list[str]] = {}
        self._status: dict[str, Status] = {}
        self._tally: dict[str, dict[Status, int]] = {}  # of a parent: how many children have which status
        self._unmet: dict[str, int] = {}  # dependencies that are not complete; absent is none
        self._heap: list[_Entry] = []
        self._queued: set[str] = set()
        self._parked: dict[str, list[str]] = {}  # by the ancestor that holds them
        self._astray: set[str] = set()  # their parents form a ring
        for task in tasks:
            self._link(task)
        self._begin()

    # -- asking ----------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._tasks)

    def __contains__(self, id: str) -> bool:
        return id in self._tasks

    def __iter__(self) -> Iterator[BacklogTask]:
        return iter(self._tasks.values())

    def get(self, id: str) -> BacklogTask | None:
        return self._tasks.get(id)

    def children(self, id: str) -> list[BacklogTask]:
        """By the numbers in their ids, in whatever order they were done."""
        return sorted((self._tasks[child] for child in self._children.get(id, ())), key=_by_number)

    def roots(self) -> list[BacklogTask]:
        """Those without a parent, and those whose parent is not there."""
        return [task for task in self._tasks.values() if task.parent not in self._tasks]

    def walk(self) -> Iterator[tuple[BacklogTask, int]]:
        """Every task after its parent, with its depth; siblings by the numbers in their ids, the top by the files."""
        top = sorted(self.roots(), key=lambda task: (not task.archived, task.order))
        rest = [(task, 0) for task in reversed(top)]
        while rest:
            task, depth = rest.pop()
            yield task, depth
            rest += [(child, depth + 1) for child in reversed(self.children(task.id))]
        yield from ((self._tasks[id], 0) for id in sorted(self._astray))

    def status(self, id: str) -> Status:
        """What it amounts to: a leaf's own status; a parent's is that of its children."""
        return self._status[id]

    def is_leaf(self, id: str) -> bool:
        told = self._tasks[id].leaf
        return told if told is not None else id not in self._children

    def ready(self, most: int | None = None) -> list[BacklogTask]:
        """Pending leaves that nothing holds, in the order in which they are to be worked on."""
        if most is None:
            found = [e for e in self._heap if self._is_open(e[2]) and not self._holder(e[2])]
            return [self._tasks[id] for _, _, id in sorted(found)]
        taken: list[_Entry] = []
        while self._heap and len(taken) < most:
            entry = heapq.heappop(self._heap)
            if not self._is_open(entry[2]):
                self._queued.discard(entry[2])
            elif holder := self._holder(entry[2]):
                self._parked.setdefault(holder, []).append(entry[2])
                self._queued.discard(entry[2])
            else:
                taken.append(entry)
        for entry in taken:
            heapq.heappush(self._heap, entry)
        return [self._tasks[id] for _, _, id in taken]

    def held_by(self, id: str) -> list[str]:
        """Why a pending leaf is not ready: the ids of dependencies and ancestors that hold it."""
        found: list[str] = []
        for one in (id, *self._ancestors(id)):
            found += [d for d in self._tasks[one].depends_on if not self._is_complete(d)]
            if one != id and self._tasks[one].status in _HOLDS:
                found.append(one)
        return list(dict.fromkeys(found))

    def problems(self) -> list[TaskProblem]:
        """What keeps tasks from ever being ready; where they stand is for the caller to add."""
        found = []
        for task in self._tasks.values():
            if task.archived:
                continue
            if task.parent and task.parent not in self._tasks:
                what = f"{task.id}: there is no task {task.parent}, its parent"
                found.append(TaskProblem(what, id=task.id, kind="parent", missing=task.parent))
            if task.leaf is False and task.status == "pending" and task.id not in self._children:
                what = f"{task.id}: is a container (`leaf` is false) with no task below it"
                found.append(TaskProblem(what, id=task.id, kind="empty"))
            for other in task.depends_on:
                if other not in self._tasks:
                    what = f"{task.id}: depends on {other}, which is no task"
                    found.append(TaskProblem(what, id=task.id, kind="dependency", missing=other))
        for knot in dependency_cycles(self._tasks, self._is_complete):
            first = min(knot, key=lambda id: self._tasks[id].order)
            ring = [*knot[knot.index(first) :], *knot[: knot.index(first)], first]
            what = f"{first}: waits for itself: {' → '.join(ring)}"
            found.append(TaskProblem(what, id=first, kind="cycle"))
        return found

    # -- changing --------------------------------------------------------------------------------------

    def put(self, task: BacklogTask) -> None:
        """A new task, or another status and other words of a known one with the same parent and dependencies."""
        if task.id not in self._tasks and task.id in self._children:  # its children were there before it
            self.__init__([*self._tasks.values(), task])  # type: ignore[misc]
            return
        if task.id not in self._tasks:
            self._link(task)
            self._unmet[task.id] = self._count_unmet(task)
            self._status[task.id] = self._amounts_to(task.id)
            if task.parent in self._tasks:
                self._count(task.parent, self._status[task.id], 1)
                self._settle(task.parent)
            if self._status[task.id] == "complete":
                self._tell_dependents(task.id, -1)
        else:
            self._tasks[task.id] = task
            self._settle(task.id)
        self._enqueue(task.id)
        self._free_parked(task.id)

    # -- parts -----------------------------------------------------------------------------------------

    def _link(self, task: BacklogTask) -> None:
        self._tasks[task.id] = task
        if task.parent:
            self._children.setdefault(task.parent, []).append(task.id)
        for other in task.depends_on:
            self._dependents.setdefault(other, []).append(task.id)

    def _begin(self) -> None:
        order = [task.id for task in self.roots()]
        for id in order:  # grows while it is read: parents before their children
            order.extend(self._children.get(id, ()))
        self._astray = self._tasks.keys() - set(order)
        for id in self._astray:
            self._status[id] = self._tasks[id].status
        for id in reversed(order):
            self._status[id] = self._amounts_to(id)
            if (parent := self._tasks[id].parent) in self._tasks:
                self._count(parent, self._status[id], 1)
        for task in self._tasks.values():
            if task.depends_on and (unmet := self._count_unmet(task)):
                self._unmet[task.id] = unmet
        for id in self._tasks:
            if self._is_open(id):
                self._queued.add(id)
                self._heap.append(self._entry(id))
        heapq.heapify(self._heap)

    def _count_unmet(self, task: BacklogTask) -> int:
        return sum(not self._is_complete(other) for other in task.depends_on)

    def _amounts_to(self, id: str) -> Status:
        tally = self._tally.get(id)
        if not tally or self.is_leaf(id):
            return self._tasks[id].status
        own = self._tasks[id].status
        if own == "cancelled":
            return own
        if own in _HOLDS or tally.get("failed") or tally.get("blocked"):
            return "blocked"
        if all(status in _OVER for status, n in tally.items() if n):
            return "complete" if tally.get("complete") else "cancelled"
        return "in_progress" if tally.get("in_progress") or tally.get("complete") else "pending"

    def _settle(self, id: str) -> None:
        """Take up a change of this task: it may change its parents and free or hold those that depend on it."""
        while id in self._tasks and id not in self._astray:
            before, now = self._status[id], self._amounts_to(id)
            if before == now:
                return
            self._status[id] = now
            if "complete" in (before, now):
                self._tell_dependents(id, -1 if now == "complete" else 1)
            parent = self._tasks[id].parent
            if parent in self._tasks:
                self._count(parent, before, -1)
                self._count(parent, now, 1)
            id = parent

    def _count(self, parent: str, status: Status, by: int) -> None:
        tally = self._tally.setdefault(parent, dict.fromkeys(STATUSES, 0))
        tally[status] += by

    def _tell_dependents(self, id: str, by: int) -> None:
        for other in self._dependents.get(id, ()):
            self._unmet[other] = self._unmet.get(other, 0) + by
            if not self._unmet[other]:
                self._enqueue(other)
                self._free_parked(other)

    def _free_parked(self, id: str) -> None:
        for other in self._parked.pop(id, ()):
            self._enqueue(other)

    def _enqueue(self, id: str) -> None:
        if id not in self._queued and self._is_open(id):
            self._queued.add(id)
            heapq.heappush(self._heap, self._entry(id))

    def _entry(self, id: str) -> _Entry:
        return (self._priority(id), self._tasks[id].order, id)

    def _priority(self, id: str) -> float:
        for one in (id, *self._ancestors(id)):
            if (told := self._tasks[one].priority) is not None:
                return told
        return PRIORITY

    def _is_complete(self, id: str) -> bool:
        return self._status.get(id) == "complete"

    def _is_open(self, id: str) -> bool:
        """Whether it is ready as far as it alone decides."""
        task = self._tasks[id]
        orphan = bool(task.parent) and task.parent not in self._tasks
        return (
            task.status == "pending"
            and not self._unmet.get(id)
            and not orphan
            and id not in self._astray
            and self.is_leaf(id)
        )

    def _holder(self, id: str) -> str:
        """The ancestor because of which it must wait."""
        for one in self._ancestors(id):
            task = self._tasks[one]
            orphan = bool(task.parent) and task.parent not in self._tasks
            if task.status in _HOLDS or self._unmet.get(one) or orphan:
                return one
        return ""

    def _ancestors(self, id: str) -> Iterator[str]:
        if id in self._astray:
            return
        parent = self._tasks[id].parent
        while parent in self._tasks:
            yield parent
            parent = self._tasks[parent].parent


def _by_number(task: BacklogTask) -> tuple[float, str]:
    last = task.id.rpartition(".")[2]
    return (float(last) if last.isdecimal() and len(last) < 10 else float("inf"), task.id)
