"""Tasks that wait for each other for ever. O(n): what can begin or end is taken away until only knots are left.

Every task begins and ends: it ends after it began and after its children ended; it begins after its dependencies ended
and after its parent may begin. So a task that depends on its own parent is a knot too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ralph.core.tasks import BacklogTask

_Node = tuple[str, bool]  # a task; whether its end is meant


def knots(tasks: Mapping[str, BacklogTask], is_complete: Callable[[str], bool]) -> list[list[str]]:
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
            ring = [id for id, _ in list(path)[path[node] :]]
            found.append(_told_once(ring))
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


def _told_once(ring: list[str]) -> list[str]:
    """A task's beginning and end are one to the reader, and so is a parent that is passed on the way."""
    return list(dict.fromkeys(ring))
