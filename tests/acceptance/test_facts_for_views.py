"""What views show of a run besides its work: who waits to land, model and tokens, commits, options, why it ended."""

from __future__ import annotations

import getpass
import json
import os
from pathlib import Path
from typing import Any

import pytest
from project import Project, until

STREAMS = Path(__file__).parents[1] / "agents" / "streams"
BACKLOG = """\
cli: {command: ./agent.sh}
parallel: 3
gate_concurrency: 3
gates: [{name: tests, run: sh gate.sh}]
event_loop: {max_iterations: 5, crash_wait: 0}
"""
# A change that was merged with another's is judged only when the test says so.
GATE = """\
n=0
[ "$(ls *.part | wc -l)" -lt 2 ] || while [ ! -e "{home}/go" ] && [ $n -lt 1200 ]; do n=$((n+1)); sleep 0.05; done
"""


def shown(project: Project, *command: str) -> str:
    done = project.ralph(*command)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def report(project: Project) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(shown(project, "report", "--json"))
    return found


def test_who_waits_to_land_is_recorded_when_the_wait_begins_and_shown(project: Project) -> None:
    (project.path / "PROMPT.md").unlink()
    project.config(BACKLOG)
    project.write("gate.sh", GATE.format(home=project.env["HOME"]))  # the gate has a HOME of its own
    project.agent("echo x > $RALPH_TASK.part; echo TASK_COMPLETE")
    tasks = [json.dumps({"id": id, "title": f"Part {id}", "leaf": True}) + "\n" for id in "ABC"]
    project.write("tasks.jsonl", "".join(tasks))
    project.commit()
    running = project.start("run", "--max-items", "3")
    until(lambda: project.journaled("landing.queued"), "one waits to land")
    (queued,) = project.facts("landing.queued")
    text, now = shown(project, "status"), json.loads(shown(project, "status", "--json"))["backlog"]
    (waits,) = [one["waiting"] for one in now["under_way"] if one["waiting"]]
    (Path(project.env["HOME"]) / "go").touch()
    assert running.wait(timeout=120) == 0, project.shown()

    assert f"waits to land behind {queued['behind']}, since " in text
    assert (waits["for"], waits["why"]) == ("landing", f"behind {queued['behind']}") and waits["since"]
    landed = project.facts("landed")
    assert len(landed) == 3 and all(one["seconds"] for one in landed)
    found = report(project)
    (wait,) = [wait for loop in found["loops"] for wait in loop["waits"]]
    assert (wait["what"], wait["ended"]) == ("landing", "elapsed")
    assert wait["span"]["ended"] > wait["span"]["began"]
    assert all(x["prepare_seconds"] and x["inspect_seconds"] and x["land_seconds"] for x in found["loops"])
    assert (
        found["run"]["reason"] == project.facts("run.ended")[0]["reason"] == "nothing more is ready: 3 done"
    )
    assert found["run"]["options"] == ["run", "--max-items", "3"]
    assert "ralph run --max-items 3" in shown(project, "status")
    assert "nothing more is ready" in shown(project, "report")


def test_what_the_agent_committed_is_named_by_branch(project: Project) -> None:
    commit = "git commit -q --allow-empty -m"
    project.agent(
        f"""case $RALPH_ITERATION in
        1) {commit} one; {commit} two; git checkout -qb side; {commit} three; git checkout -q main; echo ITERATION_DONE ;;
        2) echo x > y; echo ITERATION_DONE ;;
        3) git checkout -q --detach; {commit} four; git branch kept; git checkout -q main; echo ITERATION_DONE ;;
        *) echo 42 > answer; echo TASK_COMPLETE ;;
        esac"""
    )
    project.commit()
    assert project.ralph("run").returncode == 0
    one, two, three = (project.git("rev-parse", name) for name in ("main~1", "main", "side"))
    four = project.git("rev-parse", "kept")
    ended = project.facts("iteration.ended")
    assert [it.get("new_commits", {}) for it in ended] == [
        {"main": [two, one], "side": [three]},
        {},
        {"kept": [four]},
        {},
    ]
    assert [it["new_commits"] for it in report(project)["loops"][0]["iterations"]][2] == {"kept": [four]}
    assert f"{two[:12]}, {one[:12]} on main; {three[:12]} on side" in shown(project, "report")


def test_model_and_kinds_of_tokens_are_those_that_the_cli_told(project: Project) -> None:
    stream = STREAMS / "claude" / "success.jsonl"
    project.config((project.path / "ralph.yml").read_text().replace("max_iterations: 8", "max_iterations: 1"))
    project.agent(f"cat {stream}")
    project.commit()
    project.ralph("run")
    (ended,) = project.facts("iteration.ended")
    assert ended["usage"] == {
        "tokens": 504,
        "cost_usd": 0.002043,
        "split": {"input": 360, "output": 21, "cache_read": 90, "cache_write": 33},
        "model": "claude-opus-5-5",
    }
    (it,) = report(project)["loops"][0]["iterations"]
    assert (it["model"], it["input_tokens"], it["cache_write_tokens"]) == ("claude-opus-5-5", 360, 33)
    for command in ("status", "logs", "report"):
        assert "claude-opus-5-5" in shown(project, command)
    assert "360 in, 21 out, 90 read from cache, 33 written to cache" in shown(project, "report")


def test_a_run_tells_who_asked_for_what_without_secrets_and_within_bounds(project: Project) -> None:
    secret = "correct-horse-battery"
    long = [word for n in range(40) for word in ("--criteria", "x" * 5000)]
    done = project.ralph("run", "--criteria", f"use {secret}", *long, env={"SOME_API_KEY": secret})
    assert done.returncode == 0, done.stdout + done.stderr
    (started,), (ended,) = project.facts("run.started"), project.facts("run.ended")
    assert (started["host"], started["user"]) == (os.uname().nodename, getpass.getuser())
    assert started["options"][:3] == ["run", "--criteria", "use ***"]
    assert len(started["options"]) == 41 and max(map(len, started["options"])) == 200
    assert ended["reason"] == "completed-verified"
    assert secret not in (project.path / ".git/ralph/journal.jsonl").read_text().splitlines()[0]


@pytest.mark.parametrize(("how", "reason"), [("stop", "stopped"), ("cancel", "cancelled")])
def test_a_run_that_people_end_says_so(project: Project, how: str, reason: str) -> None:
    project.agent("touch $HOME/begun; while [ ! -e $HOME/go ]; do sleep 0.05; done; echo ITERATION_DONE")
    project.commit()
    running = project.start("run")
    until(lambda: project.mark("begun"), "the agent works")
    shown(project, how)
    (Path(project.env["HOME"]) / "go").touch()
    running.wait(timeout=60)
    assert project.facts("run.ended")[0]["reason"] == reason
