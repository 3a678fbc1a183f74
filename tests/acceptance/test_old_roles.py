"""A journal in which an earlier version recorded roles beside the team: the loop is shown, decided again and resumed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from project import Project
from test_replay_runs import replayed, rewrite

FIXTURES = Path(__file__).parents[1] / "fixtures"
CONFIG = """\
cli: {backend: custom, command: ./agent.sh, prompt_mode: stdin}
gates: [{name: tests, run: sh test.sh}]
event_loop: {max_iterations: 3, crash_wait: 0}
"""
AGENT = """\
commit() { echo "$1" >> work; git add -A; git -c user.name=a -c user.email=a@localhost commit -qm "$1"; }
case $RALPH_ITERATION in
1) for n in 1 2 3 4 5; do commit $n; done; echo ITERATION_DONE ;;
2) echo ITERATION_DONE ;;
3) echo 41 > answer; echo TASK_COMPLETE ;;
4) echo 42 > answer; echo ITERATION_DONE ;;
*) echo TASK_COMPLETE ;;
esac
"""


def recorded_roles() -> dict[str, Any]:
    """As that version wrote them."""
    for line in (FIXTURES / "journals/roles/journal.jsonl").read_text().splitlines():
        if (record := json.loads(line))["kind"] == "loop.started":
            roles: dict[str, Any] = record["data"]["policy"]["roles"]
            return roles
    raise AssertionError("no loop")


@pytest.fixture
def old(project: Project) -> Project:
    """Ended at its limit after three iterations, recorded as that version would have."""
    roles = recorded_roles()
    for role, text in roles["texts"].items():
        project.write(f"roles/{role}.md", f"{text}\n")
    shutil.copy(FIXTURES / "roles/roles.yaml", project.path / "roles.yaml")
    project.write("working.md", f"{roles['base']}\n")
    project.config(CONFIG)
    project.agent(AGENT)
    project.commit()
    assert project.ralph("run").returncode == 8
    (started,) = project.facts("loop.started")
    assert "roles" not in started["policy"] and started["policy"]["team"]["hats"]

    def as_it_was(record: dict[str, Any]) -> None:
        if record["kind"] == "loop.started":
            del record["data"]["policy"]["team"]
            record["data"]["policy"]["roles"] = roles

    rewrite(project, as_it_was)
    shutil.rmtree(project.path / "roles")  # a loop goes by what was recorded
    return project


def worn(project: Project) -> list[str]:
    return [fact.get("hat", "") for fact in project.facts("iteration.started")]


def test_an_old_loop_is_shown_and_decided_again_as_it_was(old: Project) -> None:
    code, loop = replayed(old)
    assert code == 0
    notes = [step["note"] for step in loop["steps"] if step["what"].startswith("iteration")]
    assert notes == ["prompt same"] * 3
    status = json.loads(old.ralph("status", "--json").stdout)
    assert status["hats"] is None and status["end"] == "limit"
    for command in ("status", "events", "report"):
        shown = old.ralph(command)
        assert shown.returncode == 0 and shown.stdout and not shown.stderr, command


def test_an_old_loop_goes_on_with_its_roles(old: Project) -> None:
    assert worn(old) == ["", "reviewer", ""]
    refused = old.ralph("say", "--hat", "debuger", "look")
    assert refused.returncode == 2 and "The nearest is debugger." in refused.stderr
    done = old.ralph("resume", "--max-iterations", "8")
    assert done.returncode == 0, done.stdout + done.stderr
    assert old.end()["end"] == "completed-verified"
    assert worn(old) == ["", "reviewer", "", "debugger", "", "reviewer"]
    assert "Work carefully.\n\n---\n\n# Role: debugger\nBe the debugger.\n" in old.prompt(3)
    assert replayed(old)[0] == 0
