"""What people write into the list themselves: theirs is left alone, done is done, and what cannot be worked on is said."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from project import Project, until

CONFIG = """\
cli: {command: ./agent.sh}
gates: [{name: tests, run: sh test.sh}]
event_loop: {max_iterations: 6, crash_wait: 0}
"""
WORK = 'mkdir -p parts; echo "good $RALPH_TASK" > "parts/$RALPH_TASK"; echo TASK_COMPLETE'


@pytest.fixture
def backlog(project: Project) -> Project:
    (project.path / "PROMPT.md").unlink()
    project.config(CONFIG)
    project.write("test.sh", "! grep -rqs bad parts\n")
    project.agent(WORK)
    project.commit()
    return project


def fill(project: Project, *tasks: dict[str, object]) -> None:
    lines = (json.dumps({"title": f"Part {task['id']}", "leaf": True} | task) for task in tasks)
    project.write("tasks.jsonl", "".join(f"{line}\n" for line in lines))


def done(project: Project) -> dict[str, dict[str, Any]]:
    path = project.path / "tasks-done.jsonl"
    return (
        {task["id"]: task for task in map(json.loads, path.read_text().splitlines())} if path.exists() else {}
    )


def test_what_a_person_works_on_is_left_alone_and_task_next_agrees(backlog: Project) -> None:
    fill(backlog, {"id": "A", "status": "in_progress"}, {"id": "B"})
    assert json.loads(backlog.ralph("task", "next", "--json").stdout)["id"] == "B"
    ran = backlog.ralph("run")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert [x["task"]["id"] for x in backlog.facts("loop.started")] == ["B"]
    assert json.loads((backlog.path / "tasks.jsonl").read_text())["status"] == "in_progress"
    assert "in progress, by someone: A" in ran.stdout
    named = backlog.ralph("run", "--task", "A")
    assert named.returncode == 2 and "`ralph task reopen A` gives it to Ralph" in named.stdout


def test_task_next_names_what_a_run_had_begun(backlog: Project) -> None:
    fill(backlog, {"id": "A", "priority": 3}, {"id": "B"})
    backlog.agent(f'touch "$HOME/at-work"; until [ -e "$HOME/go" ]; do sleep 0.05; done; {WORK}')
    backlog.commit()
    run = backlog.start("run", "--task", "A")
    until(lambda: backlog.mark("at-work"), "the agent works")
    os.kill(run.pid, signal.SIGINT)
    assert run.wait(60) == 130
    assert json.loads(backlog.ralph("task", "next", "--json").stdout)["id"] == "A"
    (Path(backlog.env["HOME"]) / "go").touch()
    assert backlog.ralph("run", "--once").returncode == 0
    assert done(backlog).keys() == {"A"}
    assert json.loads(backlog.ralph("task", "next", "--json").stdout)["id"] == "B"


def test_a_persons_complete_goes_to_the_archive(backlog: Project) -> None:
    fill(backlog, {"id": "A", "status": "complete"}, {"id": "B", "depends_on": ["A"]})
    ran = backlog.ralph("run")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert (backlog.path / "tasks.jsonl").read_text() == ""
    assert done(backlog)["A"]["verified"] is False and done(backlog)["B"]["verified"] is True
    assert "completed" in done(backlog)["A"]


def test_a_grandparent_is_verified_when_all_below_it_is(backlog: Project) -> None:
    parents: list[dict[str, object]] = [{"id": "A", "leaf": False}, {"id": "A.1", "leaf": False}]
    fill(backlog, *parents, {"id": "A.1.1"}, {"id": "A.1.2", "status": "cancelled"})
    ran = backlog.ralph("run")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert {id: task["verified"] for id, task in done(backlog).items()} == {
        "A.1.1": True,
        "A.1": True,
        "A": True,
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            '{"id": "A", "title": "all of it", "leaf": false}\n',
            "A: is a container (`leaf` is false) with no task",
        ),
        ('{"id": "A", "title": "x", "status": "doing"}\n', "tasks.jsonl:1: unknown status 'doing'"),
        ("nonsense\n", "tasks.jsonl:1: this is not a JSON object on one line"),
    ],
)
def test_a_list_of_which_nothing_can_be_worked_on_is_said(backlog: Project, text: str, said: str) -> None:
    backlog.write("tasks.jsonl", text)
    ran = backlog.ralph("run")
    assert ran.returncode == 1 and said in ran.stderr, ran.stdout + ran.stderr
    assert backlog.facts("run.ended")[-1]["code"] == 1


def test_a_list_of_which_all_is_done_or_blocked_is_no_failure(backlog: Project) -> None:
    fill(backlog, {"id": "A", "status": "blocked"})
    assert backlog.ralph("run").returncode == 0
    assert not (Path(backlog.path) / "parts").exists()
