"""A backlog over a suite that is red at the start: it is said, a task may have its own gates, and a red start may be allowed."""

from __future__ import annotations

import json

import pytest
from project import Project

CONFIG = """\
cli: {command: ./agent.sh}
gates: [{name: tests, run: python3 -m unittest}]
event_loop: {max_iterations: 2, crash_wait: 0}
"""
TEST = """\
import os, unittest
class Parts(unittest.TestCase):
    def test_a(self): self.assertTrue(os.path.exists("a"))
    def test_b(self): self.assertTrue(os.path.exists("b"))
    def test_kept(self): self.assertTrue(os.path.exists("kept"))
"""
WORK = 'touch "$RALPH_TASK"; echo TASK_COMPLETE'


@pytest.fixture
def red(project: Project) -> Project:
    """Two tests fail, one for each task, so that neither task alone can make the suite green."""
    (project.path / "PROMPT.md").unlink()
    project.config(CONFIG)
    project.write("test_parts.py", TEST)
    project.write("kept", "")
    project.agent(WORK)
    return project


def fill(project: Project, *tasks: dict[str, object]) -> None:
    project.write("tasks.jsonl", "".join(json.dumps({"title": "Part"} | task) + "\n" for task in tasks))
    project.commit()


def test_it_is_said_at_the_start_with_what_to_do(red: Project) -> None:
    fill(red, {"id": "a"}, {"id": "b"})
    ran = red.ralph("run", "--once")
    assert ran.returncode != 0
    said = "gate tests is red before any work, and 2 tasks are ready"
    assert ran.stdout.count(said) == 1 and "`baseline: allow-red` in ralph.yml" in ran.stdout


def test_a_red_start_is_allowed_and_each_task_lands_by_itself(red: Project) -> None:
    red.config(CONFIG + "baseline: allow-red\n")
    fill(red, {"id": "a"}, {"id": "b"})
    ran = red.ralph("run")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    first, second = red.facts("loop.ended")
    assert first["end"] == second["end"] == "completed-verified"
    assert first["proof"] == {"tests": "red→red (1 failure of the start, none new)"}
    assert first["evidence"]["degree"] == "proven" and first["evidence"]["gates"][0]["fixed"] == 1
    assert second["proof"] == {"tests": "red→green"}
    assert "is red before any work, and" not in ran.stdout
    assert "red → 1 failure of the start, none new" in red.ralph("report", "--task", "a").stdout


def test_a_new_failure_is_rejected_and_named_although_a_red_start_is_allowed(red: Project) -> None:
    red.config(CONFIG + "baseline: allow-red\n")
    red.agent('[ "$RALPH_ITERATION" = 1 ] && rm -f kept || touch kept; ' + WORK)
    fill(red, {"id": "a"}, {"id": "b"})
    ran = red.ralph("run", "--once")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    rejected = next(x for x in red.facts("gate.ended") if x["purpose"] == "claim")
    assert rejected["headline"].startswith("new, not failing at the start: ")
    assert "test_kept" in rejected["headline"] and "test_b" not in rejected["headline"]
    assert "Tests that failed at the start may fail still" in red.prompt(0)


def test_what_fixes_nothing_is_no_proof(red: Project) -> None:
    red.config(CONFIG + "baseline: allow-red\n")
    red.agent("echo x > notes; echo TASK_COMPLETE")
    fill(red, {"id": "a"})
    assert red.ralph("run").returncode == 0
    assert red.end()["evidence"]["degree"] == "no-regression"


def test_a_task_has_gates_of_its_own(red: Project) -> None:
    own = "python3 -m unittest test_parts.Parts.test_a"
    fill(red, {"id": "a", "gates": [own]}, {"id": "b"})
    ran = red.ralph("run", "--once")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert {x["command"] for x in red.facts("gate.ended")} == {own}
    assert red.end()["proof"] == {"unittest": "red→green"}
    assert "is red before any work, and" not in ran.stdout
    assert own in red.ralph("task", "show", "a").stdout
