"""A gate of a kind that another package brings: it proves work like ours, and without its package it is shown and not run."""

from __future__ import annotations

import json

import pytest
from project import Project

import gate_package

CONFIG = """\
cli: {backend: custom, command: ./agent.sh, prompt_mode: stdin}
event_loop: {max_iterations: 8, crash_wait: 0}
"""


@pytest.fixture
def kind(project: Project) -> dict[str, str]:
    """The environment in which it is installed."""
    site = gate_package.install(project.path.parent)
    project.config(CONFIG + gate_package.GATES)
    project.commit()
    return {"PYTHONPATH": str(site)}


def test_it_proves_the_work(project: Project, kind: dict[str, str]) -> None:
    done = project.ralph("run", env=kind)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "completed-verified: proven: answer red→green" in done.stdout
    assert "answer has 0 lines, 1 are wanted" in done.stdout
    (start, *_, last) = project.facts("gate.ended")
    assert (start["purpose"], start["passed"], last["passed"]) == ("base", False, True)
    assert last["command"] == "wc -l < answer"
    assert "lines (file: answer, least: 1)" in project.ralph("validate", env=kind).stdout


def test_a_failure_goes_back_to_the_agent(project: Project, kind: dict[str, str]) -> None:
    project.config((CONFIG + gate_package.GATES).replace("least: 1", "least: 2"))
    project.agent("echo 42 >> answer; echo TASK_COMPLETE")
    project.commit()
    done = project.ralph("run", env=kind)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "answer has 1 lines, 2 are wanted" in done.stdout


def test_without_its_package_it_is_shown_and_not_run(project: Project, kind: dict[str, str]) -> None:
    project.agent('[ "$RALPH_ITERATION" = 1 ] || { echo 42 > answer; echo TASK_COMPLETE; }')
    project.commit()
    assert project.ralph("run", "--max-iterations", "1", env=kind).returncode == 8
    before = project.facts("*")
    for command in ("status", "report", "logs", "events"):
        seen = project.ralph(command)
        assert seen.returncode == 0, seen.stderr
    assert "answer" in project.ralph("status").stdout
    assert '"name":"lines"' in project.ralph("events", "--json").stdout.replace(" ", "")
    refused = project.ralph("resume", "--max-iterations", "3")
    assert refused.returncode == 2
    assert "gate answer is of the kind 'lines', which is not known here" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert project.facts("*") == before
    assert project.ralph("resume", "--max-iterations", "3", env=kind).returncode == 0


def test_an_unfinished_loop_with_an_unknown_kind_can_be_set_aside(
    project: Project, kind: dict[str, str]
) -> None:
    project.agent("echo 42 > answer; touch .stop; echo ITERATION_DONE")
    project.commit()
    assert project.ralph("run", env=kind).returncode == 12
    (project.path / ".stop").unlink(missing_ok=True)
    project.config(CONFIG + "gates: [{name: tests, run: sh test.sh}]\n")
    project.agent("echo 42 > answer; echo 1 > more; echo TASK_COMPLETE")
    done = project.ralph("run", "--fresh", "--in-place")
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_task_of_a_backlog_waits_for_a_person_and_the_others_continue(
    project: Project, kind: dict[str, str]
) -> None:
    (project.path / "PROMPT.md").unlink()
    rows = [{"id": id, "title": f"Task {id}", "leaf": True} for id in ("A", "B")]
    project.write("tasks.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    project.agent(f"echo 42 > answer; touch {project.path}/.stop; echo ITERATION_DONE")
    project.commit()
    assert project.ralph("run", env=kind).returncode == 12
    (project.path / ".stop").unlink(missing_ok=True)
    project.config(CONFIG + "gates: [{name: tests, run: sh test.sh}]\n")
    project.agent("echo 42 > answer; echo TASK_COMPLETE")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 1, done.stdout + done.stderr
    ends = {fact["end"]: fact["reason"] for fact in project.facts("loop.ended")}
    assert "is of the kind 'lines', which is not known here" in ends["blocked-on-person"]
    assert "completed-verified" in ends
    assert project.ralph("resume", "--task", "A").returncode == 2
