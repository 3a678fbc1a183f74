"""A key that is accepted is used: each would fail its scenario if it were ignored."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hat_scenarios import HATS
from project import Project
from scenarios import SCENARIOS, config

from ralph.config.schema import KEYS
from ralph.sandbox.bwrap import usable

ALL = SCENARIOS | HATS


@contextmanager
def beside(project: Project, line: str) -> Iterator[None]:
    """What a person does meanwhile; it is waited for."""
    person = subprocess.Popen(["sh", "-c", line], cwd=project.path, env=project.env) if line else None
    try:
        yield
        assert person is None or person.wait(60) is not None
    finally:
        if person is not None:
            person.kill()
            person.wait()


def run_and_look(project: Project, key: str, *, with_key: bool) -> None:
    scenario = ALL[key]
    project.write("agent.sh", f"#!/bin/sh\nPROMPT=$(cat)\n{scenario.agent}\n", executable=True)
    for name, text in scenario.files.items():
        project.write(name, text, executable=name.endswith(".sh"))
    if scenario.tasks:
        (project.path / "PROMPT.md").unlink()
        tasks = [{"id": id, "title": f"Task {id}", "leaf": True} for id in scenario.tasks]
        project.write("tasks.jsonl", "".join(json.dumps(task) + "\n" for task in tasks))
    project.config(json.dumps(config(key, scenario, with_key=with_key)))
    project.commit()
    if key.startswith("sandbox.") and (why_not := usable(key != "sandbox.network")):
        pytest.skip(why_not)
    assert not scenario.first or project.shell(scenario.first).returncode == 0
    with beside(project, scenario.beside):
        done = project.ralph("run", *scenario.flags, env=scenario.env)
    assert done.returncode not in (2, 70, 130), done.stderr
    found = scenario.see(project, done)
    expected = scenario.shows if with_key else scenario.otherwise
    assert found == expected, f"{found!r}\n{done.stdout}\n{done.stderr}"


def test_every_key_has_a_scenario_in_which_it_makes_a_difference() -> None:
    assert sorted(ALL) == sorted(key.path for key in KEYS)
    for key, scenario in ALL.items():
        assert scenario.shows != scenario.otherwise, key


@pytest.mark.parametrize("key", [key.path for key in KEYS])
def test_the_key_does_what_it_says(project: Project, key: str) -> None:
    run_and_look(project, key, with_key=True)


@pytest.mark.slow
@pytest.mark.parametrize("key", [key.path for key in KEYS])
def test_without_the_key_it_is_otherwise(project: Project, key: str) -> None:
    """The scenario shows the key, and not something that happens anyway."""
    run_and_look(project, key, with_key=False)
