"""Which tasks are ready, what a parent amounts to, and what can never be worked on."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ralph.core.tasks.graph import TaskGraph
from ralph.core.tasks.task import BacklogTask, next_child, next_top, parent_of, priority, read_line, status


def task(id: str, status: str = "pending", **more: object) -> BacklogTask:
    return BacklogTask(id, id, status, parent=str(more.pop("parent", parent_of(id))), **more)  # type: ignore[arg-type]


def forest(*tasks: BacklogTask) -> TaskGraph:
    return TaskGraph(
        BacklogTask(**{name: getattr(t, name) for name in t.__struct_fields__} | {"order": n})
        for n, t in enumerate(tasks)
    )


def ready(found: TaskGraph) -> list[str]:
    assert [t.id for t in found.ready(1)] == [t.id for t in found.ready()][:1]
    return [t.id for t in found.ready()]


def test_leaves_come_by_priority_and_then_as_in_the_file() -> None:
    found = forest(
        task("A", leaf=False),
        task("A.1", leaf=True),
        task("A.2", priority=3.0),
        task("B", priority=0.0),
        task("C"),
    )
    assert ready(found) == ["B", "A.1", "C", "A.2"]


def test_a_leaf_without_priority_takes_its_parents() -> None:
    assert ready(forest(task("A"), task("B", priority=0.0), task("B.1"), task("B.2", priority=9.0))) == [
        "B.1",
        "A",
        "B.2",
    ]


def test_what_says_that_it_is_a_leaf_is_one_and_what_says_it_is_not_is_none() -> None:
    assert ready(forest(task("A", leaf=True), task("A.1"), task("B", leaf=False))) == ["A", "A.1"]


@pytest.mark.parametrize(
    "children, amounts_to",
    [
        (("pending", "pending"), "pending"),
        (("pending", "complete"), "in_progress"),
        (("in_progress", "pending"), "in_progress"),
        (("complete", "complete"), "complete"),
        (("complete", "cancelled"), "complete"),
        (("cancelled", "cancelled"), "cancelled"),
        (("complete", "failed"), "blocked"),
        (("blocked", "pending"), "blocked"),
    ],
)
def test_a_parent_is_what_its_children_are(children: tuple[str, str], amounts_to: str) -> None:
    found = forest(task("A", leaf=False), task("A.1", children[0]), task("A.2", children[1]))
    assert found.status("A") == amounts_to
    grown = forest(task("A", leaf=False))
    for n, word in enumerate(children, 1):
        grown.put(task(f"A.{n}"))
        grown.put(task(f"A.{n}", word))
    assert grown.status("A") == amounts_to


def test_archived_children_count() -> None:
    found = forest(task("A", leaf=False), task("A.1", "complete", archived=True), task("A.2", "complete"))
    assert found.status("A") == "complete"


def test_dependencies_hold_until_they_are_complete_also_those_of_a_parent_and_on_a_parent() -> None:
    found = forest(task("A"), task("B", depends_on=("A",)), task("B.1"), task("C", depends_on=("B",)))
    assert ready(found) == ["A"]
    assert found.held_by("B.1") == ["A"]
    found.put(task("A", "complete"))
    assert ready(found) == ["B.1"]
    found.put(task("B.1", "complete"))
    assert ready(found) == ["C"]
    found.put(task("B.1"))
    assert ready(found) == ["B.1"]


def test_a_blocked_or_cancelled_parent_holds_all_below_it_until_it_is_freed() -> None:
    found = forest(task("A", "blocked", leaf=False), task("A.1"), task("A.1.1"), task("B"))
    assert ready(found) == ["B"] and found.held_by("A.1.1") == ["A"]
    found.put(task("A", leaf=False))
    assert ready(found) == ["A.1.1", "B"]
    found.put(task("A", "cancelled", leaf=False))
    assert ready(found) == ["B"] and found.status("A") == "cancelled"


def test_a_claimed_task_is_not_ready() -> None:
    found = forest(task("A"), task("B"))
    found.put(task("A", "in_progress"))
    assert ready(found) == ["B"]


def test_problems_name_the_task_and_the_rest_works() -> None:
    found = forest(
        task("A"),
        task("X.1"),
        task("B", depends_on=("gone",)),
        task("C", depends_on=("D",)),
        task("D", depends_on=("C",)),
    )
    assert ready(found) == ["A"]
    assert [(p.id, p.kind) for p in found.problems()] == [
        ("X.1", "parent"),
        ("B", "dependency"),
        ("C", "cycle"),
    ]
    assert "C → D → C" in found.problems()[-1].what


@pytest.mark.parametrize(
    "tasks",
    [
        (task("A", depends_on=("A",)),),
        (task("A"), task("A.1", depends_on=("A",))),
        (task("A", depends_on=("A.1",)), task("A.1")),
        (task("A", depends_on=("B.1",)), task("A.1"), task("B"), task("B.1", depends_on=("A.1",))),
        (task("A", parent="B"), task("B", parent="A")),
    ],
    ids=["itself", "its parent", "its child", "through children", "parents in a ring"],
)
def test_what_waits_for_itself_is_a_cycle(tasks: tuple[BacklogTask, ...]) -> None:
    found = forest(*tasks, task("Z"))
    assert [p.kind for p in found.problems()] == ["cycle"]
    assert ready(found) == ["Z"]


def test_a_cycle_that_is_already_over_is_none() -> None:
    assert forest(task("A", "complete", depends_on=("B",)), task("B", depends_on=("A",))).problems() == []


def test_long_chains_of_dependencies_and_parents_are_no_trouble() -> None:
    n = 20_000
    chain = [task(f"T{i}", depends_on=(f"T{i - 1}",) if i else ()) for i in range(n)]
    found = forest(*chain)
    assert ready(found) == ["T0"] and found.problems() == []
    ring = forest(*(task(f"T{i}", depends_on=(f"T{(i + 1) % n}",)) for i in range(n)))
    assert len(ring.problems()) == 1 and ready(ring) == []
    deep = forest(*(task(f"T{i}", parent=f"T{i - 1}" if i else "") for i in range(n)))
    assert ready(deep) == [f"T{n - 1}"]
    deep.put(task(f"T{n - 1}", "complete", parent=f"T{n - 2}"))
    assert deep.status("T0") == "complete"


names = ["A", "A.1", "A.2", "A.1.1", "B", "B.1", "C"]
words = st.sampled_from(["pending", "in_progress", "complete", "failed", "blocked", "cancelled"])


@settings(max_examples=200, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(names), st.lists(st.sampled_from(names), max_size=2, unique=True), min_size=1
    ),
    st.lists(st.tuples(st.sampled_from(names), words), max_size=12),
)
def test_changes_one_by_one_come_to_the_same_as_a_new_forest(
    depends: dict[str, list[str]], changes: list[tuple[str, str]]
) -> None:
    tasks = {id: task(id, depends_on=tuple(depends[id])) for id in names if id in depends}
    grown = forest(*tasks.values())
    for id, word in changes:
        if id in tasks:
            grown.ready(1)
            order = list(tasks).index(id)
            tasks[id] = task(id, word, depends_on=tuple(depends[id]))
            grown.put(task(id, word, depends_on=tuple(depends[id]), order=order))
    new = forest(*tasks.values())
    assert [t.id for t in grown.ready()] == [t.id for t in new.ready()]
    assert [t.id for t in grown.ready(2)] == [t.id for t in new.ready()][:2]
    assert {id: grown.status(id) for id in tasks} == {id: new.status(id) for id in tasks}


@settings(max_examples=100, deadline=None)
@given(st.permutations(names), st.lists(st.sampled_from(names), max_size=3))
def test_tasks_may_come_in_any_order(order: list[str], complete: list[str]) -> None:
    grown = TaskGraph()
    for n, id in enumerate(order):
        grown.put(task(id, "complete" if id in complete else "pending", order=n))
    new = forest(*(task(id, "complete" if id in complete else "pending") for id in order))
    assert [t.id for t in grown.ready()] == [t.id for t in new.ready()]
    assert {id: grown.status(id) for id in names} == {id: new.status(id) for id in names}


# -- lines and ids ---------------------------------------------------------------------------------------


def test_other_words_for_a_status_are_understood() -> None:
    assert [status(word) for word in ("active", "completed", "done", "failed")] == [
        "in_progress",
        "complete",
        "complete",
        "failed",
    ]


@pytest.mark.parametrize(
    "line, what",
    [
        (b"{", "not a JSON object"),
        (b"[]", "expected object"),
        (b'{"title":"x"}', "no field id"),
        (b'{"id":"A"}', "no field title"),
        (b'{"id":1,"title":"x"}', "id: expected str, got int"),
        (b'{"id":"A","title":" "}', "title is empty"),
        (b'{"id":"A B","title":"x"}', "space"),
        (b'{"id":"A..1","title":"x"}', "empty part"),
        (b'{"id":"-A","title":"x"}', "dash"),
        (b'{"id":"A","title":"x","status":"dnoe"}', "unknown status 'dnoe'"),
        (b'{"id":"A","title":"x","leaf":"yes"}', "leaf: expected bool"),
        (b'{"id":"A","title":"x","priority":"soon"}', "unknown priority"),
        (b'{"id":"A","title":"\xff"}', "not a JSON object"),
        (b'{"id":"A","title":"x","y":' + b"[" * 5000, "not|deep"),
    ],
    ids=range(14),
)
def test_a_line_that_is_no_task_says_why(line: bytes, what: str) -> None:
    with pytest.raises(ValueError, match=what):
        read_line(line)


def test_priorities_are_numbers_or_words() -> None:
    assert [priority(told) for told in (1, "P0", "high", "3", None, "")] == [1.0, 0.0, 1.0, 3.0, None, None]


@pytest.mark.parametrize(
    "taken, free",
    [
        ([], "A"),
        (["A", "A.1", "C"], "D"),
        (["Z"], "AA"),
        (["US-001", "US-009"], "US-010"),
        (["1", "2"], "3"),
        (["bd-a3f8"], "A"),
        (["gh-12"], "gh-13"),
    ],
)
def test_the_next_id_goes_on_as_the_last_did(taken: list[str], free: str) -> None:
    assert next_top(taken) == free


def test_a_childs_number_is_never_used_again() -> None:
    assert next_child("A", ["A", "A.1", "A.7", "A.7.9", "AB.12", "A.x"]) == "A.8"
