"""`ralph validate` over roles: each with its file and condition, what is wrong with its line; and the same at a run's start."""

from __future__ import annotations

import json
from typing import Any

import pytest
from project import Project

TRIGGERS = "triggers:\n  - condition: attempts > 1\n    role: reviewer\n  - condition: first_iteration\n    role: architect\n"


@pytest.fixture
def team(project: Project) -> Project:
    for role in ("reviewer", "architect", "spare"):
        project.write(f"roles/{role}.md", f"# {role}\n")
    project.write("config/roles.yaml", TRIGGERS)
    project.write("working.md", "Work well.\n")
    return project


def found(project: Project, code: int) -> dict[str, Any]:
    done = project.ralph("validate", "--json")
    assert done.returncode == code, done.stdout + done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def test_each_role_is_listed_with_its_file_and_condition(team: Project) -> None:
    done = team.ralph("validate")
    assert done.returncode == 0, done.stdout
    assert "config/roles.yaml is valid\n" in done.stdout
    assert (
        "  roles   by config/roles.yaml, the first whose condition has become true; working.md comes"
        in done.stdout
    )
    assert "          reviewer (roles/reviewer.md): attempts > 1\n" in done.stdout
    assert "          spare (roles/spare.md): no trigger names it, so it is never worn\n" in done.stdout
    roles = found(team, 0)["roles"]
    assert (roles["file"], roles["valid"], roles["base"]) == ("config/roles.yaml", True, "working.md")
    assert roles["roles"] == [
        {"role": "reviewer", "file": "roles/reviewer.md", "condition": "attempts > 1"},
        {"role": "architect", "file": "roles/architect.md", "condition": "first_iteration"},
        {"role": "spare", "file": "roles/spare.md", "condition": ""},
    ]


def test_what_is_wrong_is_told_with_its_line_and_is_not_valid(team: Project) -> None:
    team.write("config/roles.yaml", TRIGGERS.replace("attempts", "atempts").replace("architect", "architekt"))
    done = team.ralph("validate")
    assert done.returncode == 2
    assert "ralph.yml is valid\n" in done.stdout
    assert (
        "config/roles.yaml:2: error: triggers[0].condition: column 1: unknown name 'atempts'" in done.stdout
    )
    assert "config/roles.yaml:5: error: triggers[1].role: roles/architekt.md does not exist" in done.stdout
    assert "config/roles.yaml is not valid: 2 errors\n" in done.stdout
    told = found(team, 2)
    assert not told["valid"] and not told["errors"]
    assert [(error["line"], error["key"]) for error in told["roles"]["errors"]] == [
        *((2, "triggers[0].condition"), (5, "triggers[1].role"))
    ]


def test_a_file_that_cannot_be_taken_apart_is_told_with_its_line(team: Project) -> None:
    team.write("config/roles.yaml", "triggers:\n  - {condition: [\n")
    told = found(team, 2)
    assert told["roles"]["errors"][0]["line"] > 0 and not told["roles"]["valid"]


def test_a_second_file_is_warned_of_by_validate_and_at_a_run_s_start(team: Project) -> None:
    team.write("roles.yaml", "triggers: []\n")
    said = "roles.yaml is not read, because config/roles.yaml exists"
    done = team.ralph("validate")
    assert done.returncode == 0 and f"config/roles.yaml: warning: {said}\n" in done.stdout
    team.commit()
    run = team.ralph("run")
    assert run.returncode == 0, run.stderr
    assert f"warning: {said}\n" in run.stderr


def test_without_roles_nothing_is_said_of_them(project: Project) -> None:
    project.write("roles.yaml", "admin: [read]\n")  # another program's
    assert found(project, 0)["roles"] is None
    shown = project.ralph("validate").stdout
    assert "roles.yaml" not in shown and "  roles " not in shown
