"""What rests on work that is not on the target waits, and only that."""

from __future__ import annotations

from collections.abc import Callable

from ralph.core.tasks.graph import TaskGraph
from ralph.core.tasks.task import BacklogTask
from ralph.runner.unlanded_tasks import needs, ready


def forest(*tasks: BacklogTask) -> TaskGraph:
    return TaskGraph(tasks)


def done(id: str, parent: str = "") -> BacklogTask:
    return BacklogTask(id, id, "complete", archived=True, parent=parent)


def open_(id: str, *depends_on: str, order: int = 0, parent: str = "") -> BacklogTask:
    return BacklogTask(id, id, depends_on=depends_on, order=order, parent=parent)


ids: Callable[[list[BacklogTask]], list[str]] = lambda tasks: [task.id for task in tasks]  # noqa: E731


def test_a_dependent_waits_and_others_do_not() -> None:
    tasks = forest(done("A"), open_("B", "A", order=1), open_("C", order=2))
    assert ids(ready(tasks, None, [])) == ["B", "C"]
    assert ids(ready(tasks, None, ["A"])) == ids(ready(tasks, 1, ["A"])) == ["C"]
    assert needs(tasks, "B", ["A"]) == ["A"] and needs(tasks, "C", ["A"]) == []


def test_depending_on_a_parent_is_depending_on_the_part_that_is_elsewhere() -> None:
    tasks = forest(
        BacklogTask("A", "A", leaf=False),
        done("A.1", parent="A"),
        done("A.2", parent="A"),
        open_("B", "A", order=1),
        open_("C", "A.1", order=2),
    )
    assert ids(ready(tasks, None, ["A.2"])) == ["C"]
    assert needs(tasks, "B", ["A.2"]) == ["A"]


def test_what_a_parent_waits_for_its_parts_wait_for() -> None:
    tasks = forest(
        done("A"), BacklogTask("B", "B", leaf=False, depends_on=("A",)), open_("B.1", order=1, parent="B")
    )
    assert ids(ready(tasks, 3, [])) == ["B.1"]
    assert ready(tasks, 3, ["A"]) == []


def test_however_many_wait_the_ready_one_behind_them_is_found() -> None:
    waiting = [open_(f"W{n}", "A", order=n) for n in range(1, 40)]
    tasks = forest(done("A"), *waiting, open_("Z", order=99))
    assert ids(ready(tasks, 1, ["A"])) == ["Z"]


def test_parents_in_a_ring_are_no_endless_way() -> None:
    tasks = forest(open_("A", parent="B"), open_("B", parent="A"), open_("C", "A", order=1))
    assert needs(tasks, "C", ["A"]) == ["A"]
