"""Tasks that iterations propose: checked, under a free id, each once, and not below a task that is being worked on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

import pytest

from ralph.backlog.changes import Completed, Failed, Reopened
from ralph.backlog.jsonl import JsonlBacklog
from ralph.backlog.proposals import MOST, ProposalWriter
from ralph.core import facts as f
from ralph.core.policy import Task


class World:
    def __init__(self, folder: Path, *ids: str) -> None:
        lines = [{"id": id, "title": f"Title of {id}", "leaf": True} for id in ids]
        (folder / "tasks.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        self.backlog = JsonlBacklog(folder / "tasks.jsonl", folder / "state")
        self.said: list[str] = []
        self.proposing = ProposalWriter(self.backlog, self.backlog.note, self.said.append)

    def wants(self, *ids: str, parent: str = "", how: Literal["add", "split"] = "add", by: str = "A") -> None:
        tasks = tuple(Task(id, f"New {id}") for id in ids)
        self.proposing.heard(f.TaskProposed(name="x", serial=1, how=how, tasks=tasks, parent=parent), by)

    def new(self) -> dict[str, str]:
        self.backlog.apply()
        return {task.id: task.title for task in self.backlog.all() if task.title.startswith("New")}


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path, "A", "B")


def test_said_twice_it_is_added_once(world: World) -> None:
    world.wants("N")
    assert world.new() == {"N": "New N"}
    world.wants("N", by="B")
    assert world.new() == {"N": "New N"}


def test_what_the_file_was_told_of_before_is_not_added_again(world: World) -> None:
    x = f.TaskProposed(name="x", serial=1, how="add", tasks=(Task("N", "New N"),))
    world.proposing.heard(x, "A", written=True)
    assert world.new() == {}


def test_ids_that_are_taken_or_impossible_are_changed(world: World) -> None:
    world.wants("B", "two words", "-x")
    assert world.new() == {"C": "New B", "D": "New two words", "E": "New -x"}


def test_without_its_parent_it_goes_to_the_top_and_the_agent_is_told(world: World) -> None:
    world.wants("Z.1")
    world.wants("N", parent="Y")
    assert world.new() == {"C": "New Z.1", "D": "New N"}
    assert "there is no task Z, its parent" in world.said[0]
    assert world.proposing.told("A")[0] == "Z.1 (New Z.1): is added as C, as there is no task Z, its parent"


def test_the_agent_is_told_of_each_what_became_of_it(world: World) -> None:
    world.proposing.began("A")
    world.wants("N", "B")
    world.wants("N")
    world.wants("A.1", parent="A")
    assert world.proposing.told("A") == (
        "N (New N): is added as N",
        "B (New B): is added as O, as its id was taken",
        "N (New N): is in the list as N",
        "A.1 (New A.1): is added when the work on A is over",
    )
    assert world.proposing.told("A") == ()


def test_a_part_of_a_part_follows_the_part_that_waits(world: World) -> None:
    world.proposing.began("A")
    world.wants("A.1", parent="A", how="split")
    world.wants("A.1.1", parent="A.1")
    assert world.new() == {}
    world.backlog.note(Reopened("A"))
    world.proposing.over("A", "stuck")
    assert world.new() == {"A.1": "New A.1", "A.1.1": "New A.1.1"}
    assert [task.id for task in world.backlog.ready()] == ["A.1.1", "B"]


def test_a_part_of_a_part_of_a_task_that_is_done_is_dropped_with_it(world: World) -> None:
    world.proposing.began("A")
    world.wants("A.1", parent="A", how="split")
    world.wants("A.1.1", parent="A.1")
    world.backlog.note(Completed("A", "abc", True))
    world.proposing.over("A", "completed-verified")
    assert world.new() == {}


def test_an_agent_cannot_allow_itself_anything(world: World) -> None:
    task = Task("N", "New N", "how", ("one",), no_change_ok=True, allow=("**",), priority=0)
    world.proposing.heard(f.TaskProposed(name="x", serial=1, how="add", tasks=(task,)), "A")
    assert world.new() == {"N": "New N"}
    found = world.backlog.get("N")
    assert found is not None and (found.description, found.criteria) == ("how", ("one",))
    assert (found.allow, found.no_change_ok, found.priority) == ((), False, None)


def test_a_title_of_many_lines_becomes_one_and_an_empty_one_is_refused(world: World) -> None:
    long = Task("N", "New\n" + "x" * 1000)
    world.proposing.heard(f.TaskProposed(name="x", serial=1, how="add", tasks=(long, Task("M", " \n"))), "A")
    (title,) = world.new().values()
    assert title.startswith("New xxx") and len(title) == 300
    assert any("the title is empty" in text for text in world.said)


def test_nobody_fills_the_backlog_for_ever(world: World) -> None:
    for n in range(MOST + 20):
        world.wants(f"N{n}")
    assert len(world.new()) == MOST
    assert sum("the rest is not added" in text for text in world.said) == 1


def test_below_a_task_under_way_it_waits_and_a_failed_task_becomes_its_parts(world: World) -> None:
    world.proposing.began("A")
    world.wants("A.1", "A.2", parent="A", how="split")
    assert world.new() == {}
    assert world.proposing.is_split("A", "stuck") and not world.proposing.is_split("A", "needs-review")
    world.backlog.note(Reopened("A"))
    world.proposing.over("A", "stuck")
    assert world.new() == {"A.1": "New A.1", "A.2": "New A.2"}
    assert [task.id for task in world.backlog.ready()] == ["A.1", "A.2", "B"]


def test_a_task_that_is_done_is_not_split_and_what_was_added_below_goes_beside_it(world: World) -> None:
    world.proposing.began("A")
    world.wants("A.1", parent="A", how="split")
    world.wants("A.2", parent="A", how="add")
    world.backlog.note(Completed("A", "abc", True))
    world.proposing.over("A", "completed-verified")
    assert world.new() == {"C": "New A.2"}
    assert any("it is not split" in text for text in world.said)


def test_what_was_added_below_a_task_that_failed_waits_for_its_being_reopened(world: World) -> None:
    world.proposing.began("A")
    world.wants("A.1", parent="A")
    world.backlog.note(Failed("A", "no"))
    world.proposing.over("A", "failed")
    assert world.new() == {"A.1": "New A.1"}
    assert [task.id for task in world.backlog.ready()] == ["B"]


def test_a_task_below_one_that_got_another_id_follows_it(world: World) -> None:
    world.wants("B")
    world.wants("B.1", parent="B")
    assert world.new() == {"C": "New B", "C.1": "New B.1"}
