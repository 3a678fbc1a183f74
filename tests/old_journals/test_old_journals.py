"""Journals that an earlier version wrote load, show, replay and resume."""

from __future__ import annotations

import json

import pytest
from old_projects import NAMES, OldProject, an_old_project

from ralph.core import facts as f

GO = "touch $HOME/go"  # what the recorded agent waits for
# Project -> what a person does with it: a line for the shell, then a command; and the exit code of that.
GOES_ON: dict[str, tuple[str, tuple[str, ...], int]] = {
    "attempts-used-up": ("echo 42 > answer", ("resume", "--max-attempts", "3"), 3),
    "needs-review": ("", ("resume", "--allow", "test.sh"), 0),
    "killed": (GO, ("resume",), 0),
    "hats-killed": (GO, ("resume",), 0),
    "backlog-stopped": ("", ("run",), 0),
    "backlog-asks": ("", ("resume", "--answer", "blue"), 0),
}


# A policy has older forms of its own; the other is only summed up.
OTHERWISE = ("loop.started", "backlog.written")


def replays(project: OldProject) -> None:
    for loop in project.facts("loop.started"):
        again = project.ralph("replay", "--json", loop["loop"])
        assert again.code == 0, again.shown


def said(project: OldProject, *words: str) -> str:
    ran = project.ralph(*words)
    assert ran.code == 0, ran.shown
    return ran.shown


@pytest.mark.parametrize("name", NAMES)
def test_every_recorded_fact_is_read_and_written_again_as_it_was(name: str) -> None:
    with an_old_project(name) as project:
        for data in (record["data"] for record in project.records()):
            if data.get("kind") in f.BY_KIND and data["kind"] not in OTHERWISE:
                assert json.loads(f.encode(f.decode(json.dumps(data).encode()))).items() <= data.items()


@pytest.mark.parametrize("name", NAMES)
def test_an_old_journal_loads_and_shows(name: str) -> None:
    with an_old_project(name) as project:
        records = project.records()
        for record in records:
            del record["crc"]
        assert [json.loads(line) for line in said(project, "events", "--json").splitlines()] == records
        ends = [x["end"] for x in project.facts("loop.ended")]
        assert said(project, "status") and said(project, "logs")
        for words in (("report", "--all"), ("report", "--all", "--html", "-o", "-")):
            shown = said(project, *words)
            assert not ends or ends[-1] in shown
        tasks = [x["task"]["id"] for x in project.facts("loop.started")]
        for words in (("status", "--json"), ("report", "--all", "--json")):
            found = json.dumps(json.loads(said(project, *words)))
            assert not ends or f'"{ends[-1]}"' in found
            assert all(json.dumps(task) in found for task in tasks[-1:])
        for loop in project.facts("loop.started"):
            assert loop["loop"] in said(project, "logs", "--loop", loop["loop"])
            assert json.loads(said(project, "logs", "--json", "--loop", loop["loop"]))


@pytest.mark.parametrize("name", NAMES)
def test_an_old_journal_replays(name: str) -> None:
    with an_old_project(name) as project:
        replays(project)


@pytest.mark.parametrize("name", list(GOES_ON))
def test_an_old_journal_resumes(name: str) -> None:
    first, words, code = GOES_ON[name]
    with an_old_project(name) as project:
        before = project.records()
        if first:
            assert project.shell(first).code == 0
        ran = project.ralph(*words)
        assert ran.code == code, ran.shown
        after = project.records()
        assert after[: len(before)] == before, "what was recorded stays"
        assert len(after) > len(before)
        replays(project)


def test_a_dozen_is_kept_and_they_are_small() -> None:
    assert len(NAMES) >= 12 and GOES_ON.keys() <= set(NAMES)
