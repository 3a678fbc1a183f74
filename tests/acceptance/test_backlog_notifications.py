"""`notify:` in a run over a backlog: whoever is told of one loop keeps no other waiting, and the run waits for all of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from project import Project, until

CONFIG = """\
cli: {{command: ./agent.sh}}
gates: [{{name: tests, run: sh test.sh}}]
event_loop: {{max_iterations: 3, crash_wait: 0}}
notify: [{{run: {run}}}]
"""
TASK = 'task=$(python3 -c \'import json, sys; print(json.load(sys.stdin)["task"]["id"])\')'


@pytest.fixture
def backlog(project: Project) -> Project:
    (project.path / "PROMPT.md").unlink()
    project.write("test.sh", "exit 0\n")
    project.agent("touch $HOME/began-$RALPH_TASK; echo good > part-$RALPH_TASK; echo TASK_COMPLETE")
    lines = (json.dumps({"id": id, "title": f"Part {id}", "leaf": True}) + "\n" for id in ("A", "B"))
    project.write("tasks.jsonl", "".join(lines))
    return project


def notify(project: Project, command: str) -> None:
    project.config(CONFIG.format(run=json.dumps(command)))
    project.commit()


def until_there(name: str) -> str:
    return f'until test -e "$HOME/{name}"; do sleep 0.05; done'


def test_the_next_task_begins_while_somebody_is_still_told_of_the_last(backlog: Project) -> None:
    notify(backlog, f"{TASK}; test $task = B || {until_there('began-B')}")
    done = backlog.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    told = backlog.facts("notified")
    assert [fact["ok"] for fact in told] == [True, True]
    second = backlog.facts("iteration.started")[1]
    assert backlog.facts("loop.ended")[0]["seq"] < second["seq"] < told[0]["seq"]


def test_the_run_ends_when_everybody_was_told(backlog: Project) -> None:
    notify(backlog, until_there("go"))
    run = backlog.start("run", "--parallel", "2")
    until(lambda: "still telling" in backlog.shown(), "the run waits for who is told")
    assert backlog.journaled("loop.ended") == 2 and not backlog.journaled("notified")
    (Path(backlog.env["HOME"]) / "go").touch()
    assert run.wait(60) == 0
    told, ended = backlog.facts("notified"), backlog.facts("run.ended")
    assert [fact["ok"] for fact in told] == [True, True]
    assert max(fact["seq"] for fact in told) < ended[-1]["seq"]


def test_the_command_runs_in_the_folder_of_the_run_and_not_in_a_workspace(backlog: Project) -> None:
    notify(backlog, "pwd >> $HOME/where; cat >> $HOME/told")
    assert backlog.ralph("run", "--once").returncode == 0
    home = Path(backlog.env["HOME"])
    assert (home / "where").read_text().split() == [str(backlog.path)]
    assert json.loads((home / "told").read_text())["folder"] == str(backlog.path)
